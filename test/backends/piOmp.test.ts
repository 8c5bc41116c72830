/** What newer versions of omp do: long frames in parts, runs that go on after a pause, and runs whose end is not reported. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, test, type TestContext } from 'node:test';
import fc from 'fast-check';
import { connectPi, connectXcsh } from '../../src/core/backends/pi/piBackend.js';
import { PiChunks } from '../../src/core/backends/pi/piProcess.js';
import { piFrames } from '../../src/core/backends/pi/piFrames.js';
import type { PiChunk } from '../../src/core/backends/pi/schema/frames.js';
import { Redactor } from '../../src/core/base/redact.js';
import { AgentTraffic } from '../../src/core/traffic/agentTraffic.js';
import { systemClock } from '../../src/core/base/clock.js';
import { within } from '../real/deadline.js';
import { piDialects, piStandIn, type StandInDialect } from './piPeers.js';
import { connectSeam, eventsIn, type OpenSession, type Seam } from './seam.js';

const sessions = mkdtempSync(path.join(tmpdir(), 'acp-host-omp-'));
after(() => rmSync(sessions, { recursive: true, force: true }));

async function open(t: TestContext, dialect: StandInDialect, more: readonly string[] = []): Promise<Seam & OpenSession> {
  const agent = { ...piStandIn(dialect, sessions, more), label: 'omp' };
  const seam = await connectSeam(t, dialect === 'xcsh' ? connectXcsh : connectPi, { agent });
  return { ...seam, ...(await seam.open()) };
}

const toolEvents = ({ told }: OpenSession) => eventsIn(told.all).flatMap((event) => (event.type === 'tool' ? [event] : []));

describe('an agent with a limit for the length of a line', () => {
  test('its long list of models arrives', async (t) => {
    const { session } = await open(t, 'xcsh', ['--chunks']);
    const models = session.options.find(({ id }) => id === 'model');
    assert.deepEqual(models?.type === 'select' && models.choices.flatMap((one) => ('value' in one ? [one.value] : [])), [
      'mock/one',
      'mock/long',
    ]);
  });

  test('its long events arrive', async (t) => {
    const seam = await open(t, 'xcsh', ['--chunks']);
    assert.equal((await within(seam.prompt('large'), 'end')).stopReason, 'end_turn');
    const [part] = toolEvents(seam).findLast(({ patch }) => patch.status === 'completed')?.patch.content ?? [];
    assert.equal(part?.type === 'content' && part.content.type === 'text' && part.content.text, 'é'.repeat(1_000_000));
    assert.equal(seam.backend.stats.invalidMessages, 0);
  });
});

describe('the parts of a frame', () => {
  const partsOf = (chunkId: string, text: string, size: number): readonly PiChunk[] => {
    const bytes = Buffer.from(text);
    const count = Math.max(1, Math.ceil(bytes.length / size));
    return Array.from({ length: count }, (_, index) => {
      const data = bytes.subarray(index * size, (index + 1) * size).toString('base64');
      return { chunkId, index, count, byteLength: bytes.length, data };
    });
  };
  const frame = { type: 'response', id: 'h1', words: 'é😀'.repeat(20) };

  test('they are joined, wherever they are cut', () => {
    fc.assert(
      fc.property(fc.json(), fc.integer({ min: 1, max: 20 }), (text, size) => {
        const chunks = new PiChunks();
        const joined = partsOf('a', text, size).map((chunk) => chunks.add(chunk));
        assert.deepEqual(joined.at(-1), { kind: 'frame', frame: JSON.parse(text) });
        assert.ok(joined.slice(0, -1).every(({ kind }) => kind === 'part'));
      }),
    );
  });

  test('a frame with a missing part is lost once, and the next one arrives', () => {
    const chunks = new PiChunks();
    const [first, , ...others] = partsOf('a', JSON.stringify(frame), 40);
    assert.ok(first !== undefined && others.length > 1);
    const kinds = [first, ...others, ...partsOf('b', '{}', 10)].map((chunk) => chunks.add(chunk).kind);
    assert.deepEqual(kinds, ['part', 'lost', ...others.slice(1).map(() => 'part'), 'frame']);
  });

  test('a frame that is too long is lost, and its beginning shows whose answer it is', () => {
    const [first] = partsOf('a', JSON.stringify(frame), 40);
    assert.ok(first);
    const lost = new PiChunks().add({ ...first, byteLength: 65 * 1024 * 1024 });
    assert.ok(lost.kind === 'lost' && lost.head.includes('"id":"h1"'));
  });

  test('what is not JSON or nested too deeply is lost', () => {
    for (const text of ['{', '['.repeat(300) + ']'.repeat(300)])
      assert.equal(new PiChunks().add(partsOf('a', text, 10_000)[0] ?? assert.fail()).kind, 'lost');
  });

  test('a secret in them is not shown in the traffic', () => {
    const secret = 'sk-mock-0123456789abcdef0123456789';
    const redactor = new Redactor();
    redactor.addSecret(secret);
    const traffic = new AgentTraffic({ describer: piFrames, redactor, clock: systemClock });
    for (const message of partsOf('a', JSON.stringify({ ...frame, key: secret }), 150))
      traffic.record({ at: 1, direction: 'received', kind: 'message', message: { type: 'rpc_chunk', ...message }, bytes: 1 });
    const shown = traffic.read().map(({ entry }) => (entry.kind === 'message' ? JSON.stringify(entry.message) : ''));
    const decoded = shown.map((line) => Buffer.from(/"data":"([^"]*)"/.exec(line)?.[1] ?? '', 'base64').toString()).join('');
    assert.ok(decoded.includes('"type":"response"') && !decoded.includes(secret), decoded);
  });
});

for (const dialect of piDialects) {
  test(`${dialect}: a run that goes on after its marked end is one turn`, async (t) => {
    const seam = await open(t, dialect);
    assert.equal((await within(seam.prompt('continues'), 'end')).stopReason, 'end_turn');
    assert.equal(seam.words(), 'First half. More. More. ');
  });

  for (const prompt of ['endsUnreported', 'pausesUnreported'])
    test(`${dialect}: a confirmed stop ends the turn even if the agent does not report the end of the run (${prompt})`, async (t) => {
      const seam = await open(t, dialect);
      const turn = seam.prompt(prompt);
      await seam.told.until('tool', (one) => one.type === 'event' && one.event.type === 'tool');
      seam.session.cancel();
      assert.equal((await within(turn, 'end')).stopReason, 'cancelled');
      assert.equal(toolEvents(seam).at(-1)?.patch.status, 'cancelled');
    });

  test(`${dialect}: calls with the same id have cards of their own, and an unannounced call has a title`, async (t) => {
    const seam = await open(t, dialect);
    await within(seam.prompt('repeatsIds'), 'end');
    const titles = new Map<string, string | undefined>();
    for (const { id, patch } of toolEvents(seam)) titles.set(id, patch.title ?? titles.get(id));
    assert.deepEqual([...titles.values()], ['one', 'two', 'three', 'make']);
  });

  test(`${dialect}: the agent has its configured name`, async (t) => {
    assert.equal((await open(t, dialect)).backend.info.name, 'omp');
  });
}
