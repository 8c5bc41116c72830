import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { doctorLine } from '../../src/cli/output/reportSchema.js';
import { makePlace, type Place, testAgent } from './cliProcess.js';
import { runHere } from './runHere.js';

let place: Place;
before(async () => {
  place = await makePlace();
});
after(() => place.remove());

describe('doctor', () => {
  test('a healthy agent exits with 0 and one line per check, without colors in a pipe', async () => {
    const { code, stdout } = await runHere(place, ['doctor', ...testAgent('obedient')]);
    assert.equal(code, 0, stdout);
    assert.match(stdout, /^✓ .* responded after/m);
    assert.match(stdout, /No problems found\.\n$/);
    assert.ok(!stdout.includes('\x1b'));
  });

  test('a missing agent exits with 1 and says what to do', async () => {
    const { code, stdout } = await runHere(place, ['doctor', '--agent', 'agentao']);
    assert.equal(code, 1);
    assert.match(
      stdout,
      /✗ agentao: `agentao` was not found\n {4}→ Install it with `(?:uv tool|pipx|pip3?) install agentao`, or specify its full path with --command\./,
    );
    assert.match(stdout, /2 problems found/);
  });

  test('with JSON it prints one line, whatever the result', async () => {
    const { code, stdout } = await runHere(place, ['doctor', ...testAgent('onlyNewerVersion'), '--format', 'json']);
    assert.equal(code, 1);
    const { agent, findings } = doctorLine.parse(JSON.parse(stdout));
    assert.equal(agent, 'custom');
    const [handshake] = findings.filter(({ check }) => check === 'handshake');
    assert.equal(handshake?.state, 'problem');
    assert.equal(handshake?.advice, 'Update the agent or ACP Host, whichever is older.');
  });

  test('--session opens a session, detects a missing sign-in, and lists the sign-in methods with their IDs', async () => {
    const [option = '', command = ''] = testAgent('wantsKey');
    const agent = [option, `${command} --ways=key,terminal`];
    const missing = await runHere(place, ['doctor', ...agent, '--session']);
    assert.equal(missing.code, 1, missing.stdout);
    assert.match(missing.stdout, /ways to sign in +API Key \(api-key\), Wizard \(wizard\)/);
    assert.match(
      missing.stdout,
      /✗ .* needs you to sign in\n[\s\S]*Ways to sign in: API Key \(api-key\), Wizard \(wizard\)\n[\s\S]*acp-host login/,
    );
    const there = await runHere(place, ['doctor', ...agent, '--session'], { env: { WANTED_API_KEY: 'a-key-of-some-length' } });
    assert.equal(there.code, 0, there.stdout);
    assert.match(there.stdout, /✓ .* opened a session after/);
    assert.equal((await runHere(place, ['doctor', ...agent])).code, 0, 'a handshake needs no key');
  });

  test('--cwd sets the folder in which the agent works', async () => {
    const { code, stdout } = await runHere(place, ['doctor', ...testAgent('obedient'), '--cwd', '..', '--session']);
    assert.equal(code, 0, stdout);
    assert.equal((await runHere(place, ['doctor', '--agent', 'demo', '--cwd', 'nowhere'])).code, 2);
  });
});
