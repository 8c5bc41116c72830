/** The folder with everything that is saved, removed while a conversation is in use. */
import assert from 'node:assert/strict';
import { access, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { CliProcess, eventsOf, makePlace } from './cliProcess.js';
import { runHere } from './runHere.js';

const skip = process.platform === 'win32' && 'Windows removes no folder that is in use';

/** Resolves when the engine has published itself again. */
async function published(state: string, signal: AbortSignal): Promise<void> {
  const isThere = async (): Promise<boolean> => (await readdir(state).catch((): string[] => [])).includes('engine.json');
  while (!(await isThere()) && !signal.aborted) await new Promise((resolve) => setImmediate(resolve));
}

test('if the state folder is removed, the turn continues, and later messages are saved', { skip }, async () => {
  const place = await makePlace();
  const state = place.env['ACP_HOST_STATE'] ?? '';
  const over = new AbortController();
  try {
    const prompt = 'run echo begun; while [ ! -e go ]; do sleep 0.05; done; echo after';
    const cli = new CliProcess(place, ['run', '--agent', 'demo', '--format', 'json', '--permission', 'allow', prompt]);
    await cli.until('output of the command', (stdout) => stdout.includes('begun\\n'));
    await rename(state, `${state}.removed`);
    await rm(`${state}.removed`, { recursive: true, maxRetries: 5 });
    const ended = cli.ended();
    await Promise.race([published(state, over.signal), ended]);
    await writeFile(path.join(place.workspace, 'go'), '');
    const { code, stdout, stderr } = await ended;
    assert.equal(code, 0, stderr);
    const end = eventsOf(stdout).find((line) => line.event === 'turn' && line.phase === 'end');
    assert.ok(end?.event === 'turn' && end.phase === 'end');
    assert.equal(end.stopReason, 'end_turn');
    await access(path.join(state, 'journals'));
    assert.match((await runHere(place, ['sessions'])).stdout, /echo begun/);
  } finally {
    over.abort();
    await place.remove();
  }
});
