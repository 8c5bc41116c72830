/** Agent processes with a different protocol than configured: their first frame identifies it, long before a deadline. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { adviceFor, toCliError } from '../../src/cli/output/errorText.js';
import type { ConnectOptions } from '../../src/core/backends/agentBackend.js';
import { expectedOf, protocolOf } from '../../src/core/backends/protocols.js';
import { describeError, errorMessage } from '../../src/text/errorText.js';
import { within } from '../real/deadline.js';
import { piStandIn } from './piPeers.js';
import { connectSeam, rejects } from './seam.js';

const sessions = mkdtempSync(path.join(tmpdir(), 'acp-host-pi-sessions-'));
after(() => rmSync(sessions, { recursive: true, force: true }));

/** No test waits for these. */
const deadlines = { initializeMs: 600_000, sessionMs: 600_000, queryMs: 600_000 };

type Agent = ConnectOptions['agent'];

const script = (file: string): Agent => ({ label: 'Mine', command: process.execPath, args: [file], env: {} });
const ours = (name: string): Agent => script(fileURLToPath(new URL(`../agents/${name}.mjs`, import.meta.url)));
const sdkExample = path.resolve(path.dirname(createRequire(import.meta.url).resolve('acp-sdk-example')), 'examples/agent.js');

const connect = (protocol: string): Parameters<typeof connectSeam>[1] => {
  const { peer, connect: connectTo } = protocolOf(protocol);
  assert.equal(peer, 'process');
  return connectTo;
};

const expecting = (protocol: string, agent: Agent): Parameters<typeof connectSeam>[2] => {
  const expected = expectedOf(protocol);
  return { agent, deadlines, ...(expected && { expected }) };
};

for (const [name, agent, found, others] of [
  ['an agent that speaks ACP', ours('obedient'), 'acp', ['pi', 'xcsh']],
  ['the example of the SDK', script(sdkExample), 'acp', ['pi', 'xcsh']],
  ['Pi', piStandIn('pi074', sessions), 'pi', ['acp', 'xcsh']],
  ['a newer Pi', piStandIn('pi087', sessions), 'pi', ['acp', 'xcsh']],
  ['xcsh', piStandIn('xcsh', sessions), 'xcsh', ['acp', 'pi']],
] as const)
  for (const protocol of others)
    test(`${name} as ${protocol}: the error names its protocol and what to choose`, async (t) => {
      const start = connectSeam(t, connect(protocol), expecting(protocol, agent));
      const error = await within(rejects(start, 'handshake_failed'), 'refusal');
      assert.deepEqual(error.params, { reason: 'other_protocol', protocol, found });
      const { text } = describeError(error.toData(), { agent: 'Mine' });
      assert.equal(text, `Mine speaks the protocol "${found}", not "${protocol}". Choose the protocol "${found}" for it.`);
      assert.deepEqual(adviceFor(toCliError(error.toData(), 'Mine')), [`Use --protocol ${found}.`]);
    });

test('an agent that logs messages of other protocols is recognized correctly', async (t) => {
  const { backend } = await connectSeam(t, connect('acp'), expecting('acp', ours('logsJsonToStdout')));
  assert.equal(backend.info.name, 'test-agent');
});

test('xcsh is asked again if it discarded a question before it was ready', async (t) => {
  const { backend } = await connectSeam(t, connect('xcsh'), expecting('xcsh', ours('losesWhatCameBeforeReady')));
  assert.equal(backend.info.name, 'Mine');
});

test('a message without an answer is reported with the protocol', async (t) => {
  const options = { ...expecting('pi', ours('neverInitializes')), deadlines: { ...deadlines, initializeMs: 500 } };
  const silent: Agent = { label: 'Mine', command: process.execPath, args: ['-e', 'process.stdin.resume()'], env: {} };
  const error = await rejects(connectSeam(t, connect('pi'), { ...options, agent: silent }), 'handshake_timeout');
  assert.equal(error.params['protocol'], 'pi');
  assert.match(errorMessage(error.toData(), 'Mine'), /did not respond over the protocol "pi" in time/);
  assert.match(describeError(error.toData(), { agent: 'Mine' }).text, /it doesn't speak the protocol "pi"/);
  assert.match(adviceFor(toCliError(error.toData(), 'Mine')).join(), /starts an agent that speaks the protocol "pi"/);
});
