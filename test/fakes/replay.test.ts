/**
 * Recorded traffic of the real agentao 0.5.17 through the whole host: process, pipe, protocol, session. `UPDATE_GOLDEN=1` updates the
 * golden files.
 */
import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { TrafficEntry } from '../../src/core/index.js';
import { cliProgram } from '../cli/programs.js';
import { lastFirst } from '../real/lastFirst.js';
import { createNodeAgentHost, makeRooms } from '../real/launch.js';
import { driveHost } from './driveHost.js';
import { type RecordedFrame, formatRecording, readRecording } from './recording.js';
import { renderTranscript } from './renderTranscript.js';

const fixtures = new URL('../fixtures/agentao-0.5.17/', import.meta.url);
const golden = fileURLToPath(new URL('../golden/host-replay/', import.meta.url));

/** All recordings except those whose client violates the protocol on purpose or starts twice (handshake-errors, malformed-reply, auth-required). */
const recordings = [
  'ask-user',
  'big-shell-output',
  'cancel-permission-pending',
  'cancel-stream-and-shell',
  'edits-and-denials',
  'provider-errors',
  'read-only-mode',
  'session-load-replay',
  'shell-permission',
  'subagent',
  'text-and-read',
  'thoughts',
  'tool-order-and-slow-output',
  'write-permission-diff',
] as const;

describe('recorded traffic of agentao 0.5.17 through the host', () => {
  for (const name of recordings) {
    test(name, async (t) => {
      const frames = withoutSecondLoad(await readRecording(new URL(`${name}.ndjson`, fixtures)));
      const atEnd = lastFirst(t);
      const rooms = await makeRooms();
      atEnd(() => rooms.remove());
      const file = path.join(rooms.home, 'recording.ndjson');
      await writeFile(file, formatRecording(frames));
      const host = createNodeAgentHost(cliProgram, ['replay', file], rooms);
      atEnd(async () => {
        await host.stop({ force: true });
        host.dispose();
      });
      const traffic: TrafficEntry[] = [];
      host.onTraffic((entry) => traffic.push(entry));

      const sessions = await driveHost(host, frames);
      await host.stop();
      assert.deepEqual(host.status.state === 'stopped' && host.status.exit?.code, 0, host.stderrTail());
      assert.deepEqual(answersSent(traffic), recordedAnswers(frames));
      await compareWithGolden(name, sessions.map((session) => renderTranscript(session.state)).join('\n'));
    });
  }
});

/** The host returns a session that is already open, but the recorded client asked the agent to load it twice. */
function withoutSecondLoad(frames: readonly RecordedFrame[]): readonly RecordedFrame[] {
  const [, second] = frames.filter(({ frame }) => frame.method === 'session/load');
  return second === undefined ? frames : frames.filter(({ frame }) => frame.id !== second.frame.id);
}

function answersSent(traffic: readonly TrafficEntry[]): readonly unknown[] {
  return traffic
    .flatMap((entry) => (entry.direction === 'sent' && entry.kind === 'message' ? [entry.message] : []))
    .filter((message) => typeof message === 'object' && message !== null && !('method' in message));
}

/** The recorded client closed the request while the turn continued; the host selects the option that rejects. */
const closedInTurn: ReadonlySet<unknown> = new Set(['srv_6ed4a2736e214cda']);
const no = { outcome: { outcome: 'selected', optionId: 'reject_once' } };

/** One of the recorded clients answered a question with an error; the host sends `cancelled`. */
function recordedAnswers(frames: readonly RecordedFrame[]): readonly unknown[] {
  return frames
    .filter(({ dir, frame }) => dir === 'out' && frame.method === undefined)
    .map(({ frame: { id, result } }) => ({ jsonrpc: '2.0', id, result: closedInTurn.has(id) ? no : (result ?? { outcome: 'cancelled' }) }));
}

async function compareWithGolden(name: string, actual: string): Promise<void> {
  const file = path.join(golden, `${name}.txt`);
  if (process.env['UPDATE_GOLDEN'] === '1') {
    await mkdir(golden, { recursive: true });
    await writeFile(file, actual);
  }
  assert.equal(actual, await readFile(file, 'utf8'));
}
