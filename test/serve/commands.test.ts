/** The host's commands in an editor that runs `acp-host serve`. The agents are stand-ins. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { afterEach, beforeEach, test, type TestContext } from 'node:test';
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { piStandIn } from '../backends/piPeers.js';
import { makePlace, type Place, runCli } from '../cli/cliProcess.js';
import { cliProgram } from '../cli/programs.js';
import { startStandIn } from '../standIns/startStandIn.js';
import { connectSdkClient } from './sdkClient.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.remove());

const server = (protocol: string, program: 'agentCli' | 'agentService', args: readonly string[]) => async (t: TestContext) => {
  return ['--protocol', protocol, '--url', (await startStandIn(t, program, args)).url, '--key-env', 'SERVER_KEY'];
};
const pi = (protocol: string, dialect: 'pi087' | 'xcsh') => async () => {
  const { command, args } = piStandIn(dialect, path.join(place.workspace, 'sessions'));
  return ['--protocol', protocol, '--command', [command, ...args].map((word) => `"${word}"`).join(' ')];
};
const agents = [
  ['pi', pi('pi', 'pi087'), ['stats', 'last', 'clone', 'fork', 'compact', 'name', 'export', 'bash']],
  ['xcsh', pi('xcsh', 'xcsh'), ['stats', 'last', 'fork', 'compact', 'name', 'export', 'bash']],
  ['agent-cli', server('agent-cli', 'agentCli', ['--documented']), ['clear-context', 'regenerate']],
  ['agent-service', server('agent-service', 'agentService', []), ['explain', 'docstring', 'optimize', 'fix', 'unittest']],
] as const;

type Commands = Extract<SessionUpdate, { readonly sessionUpdate: 'available_commands_update' }>;
const isCommands = (update: SessionUpdate): update is Commands => update.sessionUpdate === 'available_commands_update';
/** Matches a description as command lists show it: a sentence without a period. */
const described = /^[A-Z][a-z]+s? .+[^.]$/;

for (const [name, start, expected] of agents) {
  test(`${name}: every host command has a description, in an editor and in the JSON output`, async (t) => {
    const args = await start(t);
    const env = { ...place.env, SERVER_KEY: 'key' };
    const client = connectSdkClient(t, {
      command: process.execPath,
      args: [cliProgram, 'serve', ...args],
      cwd: place.workspace,
      env,
    });
    await client.initialize();
    await client.open();
    const update = await client.updates.until('commands', isCommands);
    const commands = isCommands(update) ? update.availableCommands : [];
    for (const wanted of expected) {
      const { description, ...rest } = commands.find((one) => one.name === wanted) ?? assert.fail(`no ${wanted}`);
      assert.match(description, described, wanted);
      assert.deepEqual(
        Object.keys(rest).filter((member) => member !== 'input'),
        ['name'],
      );
    }
    const { stdout } = await runCli(place, ['run', ...args, '--format', 'json', 'hello'], { env });
    const told = stdout
      .split('\n')
      .filter((line) => line.includes('available_commands_update'))
      .map((line) => (JSON.parse(line) as { readonly update: Commands }).update.availableCommands);
    assert.deepEqual(told, [commands]);
  });
}

test('a cancel ends a command whose question the editor has not answered', async (t) => {
  let asked = (): void => {};
  const isAsked = new Promise<void>((resolve) => (asked = resolve));
  const client = connectSdkClient(t, {
    command: process.execPath,
    args: [cliProgram, 'serve', ...(await pi('pi', 'pi087')())],
    cwd: place.workspace,
    env: place.env,
    choose: () => {
      asked();
      return new Promise(() => {});
    },
  });
  await client.initialize();
  const { sessionId } = await client.open();
  await client.prompt(sessionId, 'hello');
  const fork = client.prompt(sessionId, '/fork');
  await isAsked;
  client.cancel(sessionId);
  assert.deepEqual(await fork, { stopReason: 'cancelled' });
});
