/** Servers behind `acp-host serve`: for an editor based on the SDK, and for this program's own host. The servers are stand-ins. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test, type TestContext } from 'node:test';
import { createAgentHost, type Session } from '../../src/core/index.js';
import { makePlace, type Place } from '../cli/cliProcess.js';
import { cliProgram } from '../cli/programs.js';
import { nextRequest, until, within } from '../real/deadline.js';
import { type StandIn, startStandIn } from '../standIns/startStandIn.js';
import { connectSdkClient, type SdkClient, wordsOf } from './sdkClient.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.remove());

const key = 'simpletest2025_the-only-one';
const servers = [
  { name: 'agent-cli, documented', protocol: 'agent-cli', program: 'agentCli', args: ['--documented'], asks: true },
  { name: 'agent-cli, real', protocol: 'agent-cli', program: 'agentCli', args: ['--real'], asks: true },
  { name: 'agent-service', protocol: 'agent-service', program: 'agentService', args: ['--key', key], asks: false },
] as const;

interface Started {
  readonly standIn: StandIn;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

const text = (words: string) => [{ type: 'text' as const, text: words }];

for (const { name, protocol, program, args, asks } of servers)
  describe(name, () => {
    const start = async (t: TestContext): Promise<Started> => {
      const standIn = await startStandIn(t, program, args);
      const server = ['serve', '--protocol', protocol, '--url', standIn.url, '--key-env', 'SERVER_KEY', '--cwd', place.workspace];
      return { standIn, args: [cliProgram, ...server], env: { ...place.env, SERVER_KEY: key } };
    };

    const editor = async (t: TestContext, o: Partial<Parameters<typeof connectSdkClient>[1]> = {}): Promise<Started & SdkClient> => {
      const started = await start(t);
      const connected = connectSdkClient(t, { ...started, command: process.execPath, cwd: place.workspace, ...o });
      return { ...started, ...connected };
    };

    test('an editor gets answers and permission requests and can cancel a turn, and the output never contains the key', async (t) => {
      const client = await editor(t);
      const { agentCapabilities } = await client.initialize();
      assert.equal(agentCapabilities?.loadSession ?? false, false);
      const { sessionId } = await client.open();
      assert.equal((await client.prompt(sessionId, 'hello there')).stopReason, 'end_turn');
      assert.ok(wordsOf(client.updates.all).includes('hello there'));
      const hanging = client.prompt(sessionId, 'hang');
      await client.standIn.notes.until('prompt', (note) => JSON.stringify(note).includes('"hang"'));
      client.cancel(sessionId);
      assert.equal((await hanging).stopReason, 'cancelled');
      if (asks) {
        assert.equal((await client.prompt(sessionId, 'ask')).stopReason, 'end_turn');
        assert.equal(client.permissions.all.length, 1);
      }
      client.leave();
      const { code, stdout, stderr } = await client.ended();
      assert.equal(code, 0, stderr);
      assert.ok(!`${stdout}${stderr}`.includes(key));
    });

    test('an editor gets an error for a failed turn and for a lost server, and `serve` exits with code 6', async (t) => {
      const client = await editor(t);
      await client.initialize();
      const { sessionId } = await client.open();
      await assert.rejects(client.prompt(sessionId, 'oops'), { code: -32603 });
      // Handled from the start, because the error may arrive before the server is known to be gone.
      const refused = assert.rejects(client.prompt(sessionId, 'hang'), { code: -32603 });
      await client.standIn.notes.until('prompt', (note) => JSON.stringify(note).includes('"hang"'));
      await client.standIn.kill();
      await refused;
      const { code, stderr } = await client.ended();
      assert.equal(code, 6);
      assert.match(stderr, /^acp-host: .*lost/m);
    });

    test("the project's own host gets answers, and can cancel a turn and a permission request", async (t) => {
      const { args: argv, env } = await start(t);
      const host = createAgentHost({
        agent: { id: 'served', label: 'Served', protocol: 'acp', command: process.execPath, args: argv, env: {} },
        cwd: place.workspace,
        baseEnv: env,
        clientInfo: { name: 'test', title: 'Test', version: '0.0.0' },
        terminalAuth: false,
      });
      t.after(async () => {
        await host.stop({ force: true });
        host.dispose();
      });
      const session: Session = await within(host.newSession(), 'session');
      const outcome = await within(session.prompt(text('hello there')), 'end');
      assert.equal(outcome.type, 'ended');
      assert.ok(JSON.stringify(session.state.items).includes('hello there'));
      const hanging = session.prompt(text('hang'));
      await until(session, 'running turn', ({ turn }) => turn.type === 'running');
      session.cancel();
      const stopped = await within(hanging, 'end');
      assert.equal(stopped.type === 'ended' && stopped.stopReason, 'cancelled');
      if (!asks) return;
      const asking = session.prompt(text('ask'));
      const request = await nextRequest(session);
      assert.equal(request.kind, 'permission');
      session.cancel();
      await within(asking, 'end');
      assert.deepEqual(session.state.requests, []);
    });
  });
