/** A script can't start without the program that its first line names, and the system reports that as a missing file. */
import assert from 'node:assert/strict';
import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { ExitCode } from '../../src/cli/output/exitCode.js';
import { makePlace, runCli } from '../cli/cliProcess.js';

const skip = process.platform === 'win32' && 'Windows starts no scripts by their first line';

for (const [what, firstLine, told] of [
  ['is gone', '#!/no/such/python3', /"\/no\/such\/python3"/],
  ['is gone, and gets an argument', '#! /no/such/node --harmony', /"\/no\/such\/node"/],
  ['is relative and gone', '#!no/such/python3', /"no\/such\/python3"/],
  ['ends with the line break of Windows', '#!/bin/sh\r', /"\/bin\/sh\\r".*line breaks of Windows/],
  ['is a script whose own is gone', '#!PLACE/middle', /"\/no\/such\/sh"/],
] as const) {
  test(`an agent whose interpreter ${what}`, { skip }, async (t) => {
    const place = await makePlace();
    t.after(() => place.remove());
    for (const [name, text] of [
      ['agent', firstLine.replace('PLACE', place.workspace)],
      ['middle', '#!/no/such/sh'],
    ] as const) {
      await writeFile(path.join(place.workspace, name), `${text}\n`);
      await chmod(path.join(place.workspace, name), 0o755);
    }
    const { code, stderr } = await runCli(place, ['run', '--command', './agent', 'hi']);
    assert.equal(code, ExitCode.notStarted, stderr);
    assert.match(stderr, told);
    assert.match(stderr, /\/agent/);
    assert.doesNotMatch(stderr, /does not exist|acp-host agents|full path|permissions/);
  });
}

test('a missing folder is not blamed on the interpreter', { skip }, async (t) => {
  const place = await makePlace();
  t.after(() => place.remove());
  const { code, stderr } = await runCli(place, ['run', '--cwd', `${place.workspace}/gone`, '--command', '/bin/sh', 'hi']);
  assert.notEqual(code, ExitCode.ended);
  assert.match(stderr, /gone/);
  assert.doesNotMatch(stderr, /first line/);
});
