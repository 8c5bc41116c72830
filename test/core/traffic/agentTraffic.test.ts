import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it, mock, test } from 'node:test';
import { systemClock } from '../../../src/core/base/clock.js';
import { cutJson } from '../../../src/core/base/cutJson.js';
import { Redactor } from '../../../src/core/base/redact.js';
import { acpFrames } from '../../../src/core/backends/acp/acpFrames.js';
import { AgentTraffic } from '../../../src/core/traffic/agentTraffic.js';
import type { TrafficEntry } from '../../../src/core/traffic/trafficEntry.js';
import type { ReadTraffic } from '../../../src/core/traffic/trafficItem.js';

const update = (n: number, text = 'x'): TrafficEntry => {
  const message = { jsonrpc: '2.0', method: 'session/update', params: { n, text } };
  return { at: n, direction: 'received', kind: 'message', message, bytes: JSON.stringify(message).length };
};
const started: TrafficEntry = { at: 0, direction: 'received', kind: 'process', event: 'started', bytes: 0 };
const trafficOf = (limits?: { readonly entries: number; readonly bytes: number }, redactor = new Redactor()): AgentTraffic =>
  new AgentTraffic({ describer: acpFrames, redactor, clock: systemClock, ...(limits === undefined ? {} : { limits }) });
const seqsOf = (traffic: AgentTraffic, o?: ReadTraffic): number[] => traffic.read(o).map(({ seq }) => seq);

describe('the last frames of an agent', () => {
  it('are bounded in number, in addition to the first frames of the newest process', () => {
    const traffic = trafficOf({ entries: 50, bytes: 1e9 });
    traffic.record(started);
    for (let n = 1; n < 1000; n++) traffic.record(update(n));
    assert.deepEqual(seqsOf(traffic), [
      ...Array.from({ length: 16 }, (_, index) => index + 1),
      ...Array.from({ length: 50 }, (_, index) => index + 951),
    ]);
    assert.deepEqual(seqsOf(traffic, { after: 998 }), [999, 1000]);
    assert.deepEqual(seqsOf(traffic, { limit: 2 }), [999, 1000]);
    traffic.record(started);
    for (let n = 1; n < 1000; n++) traffic.record(update(n));
    assert.deepEqual(seqsOf(traffic)[0], 1001, 'only the first frames of the newest process are kept');
  });

  it('are bounded in bytes', () => {
    const traffic = trafficOf({ entries: 1000, bytes: 100_000 });
    for (let n = 0; n < 1000; n++) traffic.record(update(n, 'y'.repeat(10_000)));
    const kept = traffic.read().filter(({ seq }) => seq > 16);
    assert.ok(kept.length >= 9 && kept.length <= 10, String(kept.length));
  });

  it('contain a shortened copy of a very large frame', () => {
    const traffic = trafficOf();
    traffic.record(update(1, 'z'.repeat(5_000_000)));
    const [{ entry } = { entry: undefined }] = traffic.read();
    assert.ok(entry?.kind === 'message' && entry.cut === true);
    const text = JSON.stringify(entry.message);
    assert.ok(text.length < 20_000, String(text.length));
    assert.match(text, /"method":"session\/update".*more characters/);
  });

  it('contain no secrets, not even those registered later', () => {
    const redactor = new Redactor();
    const traffic = trafficOf(undefined, redactor);
    traffic.record({
      at: 1,
      direction: 'sent',
      kind: 'message',
      message: { id: 1, method: 'login', params: { note: 'hush-hush-1234', apiKey: 'abcd' } },
      bytes: 100,
    });
    traffic.record({ at: 2, direction: 'received', kind: 'stderr', text: 'got hush-hush-1234', bytes: 18 });
    redactor.addSecret('hush-hush-1234');
    const all = JSON.stringify([traffic.read(), traffic.requests]);
    assert.ok(!all.includes('hush-hush') && !all.includes('abcd'), all);
  });

  it('are announced at most every 50 ms, however many arrive', () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const traffic = trafficOf();
      let told = 0;
      const listening = traffic.onChange(() => told++);
      for (let n = 0; n < 10_000; n++) traffic.record(update(n));
      assert.equal(told, 0);
      mock.timers.tick(50);
      assert.equal(told, 1);
      listening.dispose();
      traffic.record(update(1));
      mock.timers.tick(50);
      assert.equal(told, 1);
    } finally {
      mock.timers.reset();
    }
  });
});

test('cutJson shortens a value to its limits and keeps its shape', () => {
  const limits = { stringChars: 5, members: 2, totalChars: 1_000 };
  assert.deepEqual(cutJson({ a: 'abc defgh', b: [1, 2, 3], c: 1 }, limits), {
    a: 'abc  … (5 more characters)',
    b: [1, 2, '… (1 more)'],
    '…': '1 more',
  });
  assert.deepEqual(cutJson({ a: 'abc', b: [null, true] }, limits), { a: 'abc', b: [null, true] });
  const wide = Array.from({ length: 1_000_000 }, () => 'abc');
  assert.ok(JSON.stringify(cutJson(wide, { stringChars: 5, members: 1e9, totalChars: 500 })).length < 1_500);
});

test('cutJson leaves no part of a cut secret, and shortens very long names of members', () => {
  const secret = 'held-by-the-host-0123456789';
  for (let chars = 10; chars < 50; chars++) {
    const cut = JSON.stringify(cutJson({ text: `before ${secret} after it all` }, { stringChars: chars, members: 9, totalChars: 1_000 }));
    assert.ok(cut.includes(secret) || !cut.includes('held'), cut);
  }
  assert.ok(JSON.stringify(cutJson({ ['k'.repeat(100_000)]: 1 }, { stringChars: 9, members: 9, totalChars: 1_000 })).length < 300);
});

test('only the shortened copy of a long message stays in memory', { timeout: 60_000 }, () => {
  const script = `
    import { AgentTraffic } from ${JSON.stringify(new URL('../../../src/core/traffic/agentTraffic.ts', import.meta.url).href)};
    import { acpFrames } from ${JSON.stringify(new URL('../../../src/core/backends/acp/acpFrames.ts', import.meta.url).href)};
    import { Redactor } from ${JSON.stringify(new URL('../../../src/core/base/redact.ts', import.meta.url).href)};
    const traffic = new AgentTraffic({ describer: acpFrames, redactor: new Redactor(), clock: { now: () => 0 } });
    const before = process.memoryUsage().heapUsed;
    for (let index = 0; index < 30; index++) {
      const long = 'x'.repeat(2_000_000);
      for (const direction of ['sent', 'received']) {
        const line = JSON.stringify({ jsonrpc: '2.0', id: index, ...(direction === 'sent' ? { method: long, params: { text: long } } : { error: { code: 1, message: long } }) });
        traffic.record({ at: 0, direction, kind: 'message', message: JSON.parse(line), bytes: line.length });
      }
    }
    gc();
    console.log(process.memoryUsage().heapUsed - before, traffic.read().length);`;
  const { stdout } = spawnSync(process.execPath, ['--expose-gc', '--import', 'tsx', '--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  const [bytes = Infinity, kept] = stdout.split(' ').map(Number);
  assert.ok(bytes < 20_000_000, stdout);
  assert.ok(kept !== undefined && kept > 10);
});
