/** The output of tools: its size on disk while it grows, and that it is read back as it was shown. */
import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { describe, it, type TestContext } from 'node:test';
import fc from 'fast-check';
import { Redactor } from '../../../src/core/base/redact.js';
import type { SessionEvent, ToolPatch } from '../../../src/core/session/event.js';
import type { SessionState, ToolCallContent } from '../../../src/core/session/model.js';
import { emptySession, reduceAll } from '../../../src/core/session/reducer.js';
import { ended, header, type JournalLab, lastState, openLab, started } from './journalLab.js';

const shows = (text: string): { readonly content: readonly ToolCallContent[] } => ({
  content: [{ type: 'content', content: { type: 'text', text } }],
});
const tool = (id: string, patch: ToolPatch, at = 2): SessionEvent => ({ type: 'tool', at, id, toolCallId: id, patch });
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value));

interface FakeTimers {
  pass(ms: number): void;
}

/** Timers that fire when the test says so. */
function fakeTimers(t: TestContext): FakeTimers {
  let now = 0;
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.mock.method(performance, 'now', () => now);
  return {
    pass(ms) {
      for (let left = ms; left > 0; left -= 100) {
        now += Math.min(left, 100);
        t.mock.timers.tick(Math.min(left, 100));
      }
    },
  };
}

async function bytesOf({ files }: JournalLab): Promise<number> {
  const sizes = await Promise.all((await files()).map(async (file) => (await stat(file)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** The whole conversation as a reader sees it. */
function seen(events: readonly SessionEvent[], redactor: Redactor): SessionState {
  const state = reduceAll(emptySession('s', '/workspace', 1, header('s').id), events);
  return reduceAll(redactor.json(plain(state)) as SessionState, [
    { type: 'opened', at: events.at(-1)?.at ?? 1, cwd: '/workspace', by: 'loaded' },
  ]);
}

describe('a tool that sends its whole output with each update', () => {
  const run = async (
    t: TestContext,
    { updates, ms, output }: { readonly updates: number; readonly ms: number; readonly output: (update: number) => string },
  ): Promise<number> => {
    const time = fakeTimers(t);
    const lab = await openLab(t, { limits: { perSessionBytes: 1e9 } });
    const journal = lab.open('s', true);
    const events: SessionEvent[] = [started('t1'), tool('x', { title: 'Build', status: 'in_progress' })];
    journal.append(events);
    for (let update = 1; update <= updates; update++) {
      const event = tool('x', shows(output(update)));
      journal.append([event]);
      time.pass(ms);
      // This lets the disk write, too.
      if (update % 1_000 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    const last = [tool('x', { ...shows(output(updates)), status: 'completed' }), ended('t1')];
    journal.append(last);
    await journal.close();
    assert.deepEqual(plain(await lastState(lab.store, 's')), plain(seen([...events, ...last], new Redactor())));
    return bytesOf(lab);
  };

  it('10,000 updates up to 1 MB take less than 3 MB', async (t) => {
    const whole = Array.from({ length: 10_000 }, (_, line) => `line ${line} of the build `.padEnd(100, '.')).join('\n');
    const bytes = await run(t, { updates: 10_000, ms: 100, output: (update) => whole.slice(0, update * 105) });
    assert.ok(bytes > 1_000_000 && bytes < 3_000_000, `${bytes} bytes`);
  });

  it('600 updates up to 251 KB take little more than that', async (t) => {
    const whole = 'progress of the work\n'.repeat(12_000);
    const bytes = await run(t, { updates: 600, ms: 500, output: (update) => whole.slice(0, update * 418) });
    assert.ok(bytes < 500_000, `${bytes} bytes`);
  });

  it('replaced output is not written every time', async (t) => {
    const bytes = await run(t, { updates: 5_000, ms: 100, output: (update) => `${update} `.repeat(20_000) });
    assert.ok(bytes < 10_000_000, `${bytes} bytes`);
  });
});

describe('the output of a running tool', () => {
  it('it is on disk after a second, except for an end that may begin a secret', async (t) => {
    const time = fakeTimers(t);
    const lab = await openLab(t);
    const journal = lab.open('s', true);
    journal.append([started('t1'), tool('x', { title: 'Build', status: 'in_progress' })]);
    journal.append([tool('x', shows('first'))]);
    journal.append([tool('x', shows('first second, key sk-liv'))]);
    time.pass(1_100);
    const onDisk = async (words: string): Promise<void> => {
      for (;;) {
        const state = await lastState(lab.store, 's');
        const item = state?.items.find(({ kind }) => kind === 'tool');
        if (item?.kind === 'tool' && JSON.stringify(item.content) === JSON.stringify(shows(words).content)) return;
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    await onDisk('first second, key ');
    journal.append([tool('x', shows('first second, key sk-live_0123456789abcdef and more'))]);
    time.pass(1_100);
    await onDisk('first second, key [redacted] and more');
    journal.append([tool('x', shows('first second, key sk-live_0123456789abcdef and more, and s'))]);
    await journal.flush();
    await onDisk('first second, key [redacted] and more, and s');
    const [file = ''] = await lab.files();
    assert.doesNotMatch(await readFile(file, 'utf8'), /sk-li|0123456789abcdef/);
    await journal.close();
  });

  it('no half of a secret in its raw output is on disk', async (t) => {
    const time = fakeTimers(t);
    const lab = await openLab(t);
    const journal = lab.open('s', true);
    journal.append([started('t1'), tool('x', { title: 'Build', status: 'in_progress' })]);
    for (const text of ['key ', 'key sk-liv', 'key sk-live_0123456', 'key sk-live_0123456789abcdef and more']) {
      journal.append([tool('x', { rawOutput: { lines: [text], code: 0 } })]);
      time.pass(1_100);
    }
    await journal.close();
    const item = (await lastState(lab.store, 's'))?.items.find(({ kind }) => kind === 'tool');
    assert.deepEqual(item?.kind === 'tool' && item.rawOutput, { lines: ['key [redacted] and more'], code: 0 });
    const [file = ''] = await lab.files();
    assert.doesNotMatch(await readFile(file, 'utf8'), /sk-li|0123456/);
  });
});

/** Leaves out when messages started, because a text that begins with a secret in chunks starts at the last of these chunks. */
function withoutStarts(state: SessionState): unknown {
  return plain({ ...state, items: state.items.map((item) => (item.kind === 'message' ? { ...item, startedAt: 0 } : item)) });
}

const secret = 'sk-live_0123456789abcdef';
const held = 'held-by-the-host-0123';
const id = fc.constantFrom('x', 'y');
const words = fc.constantFrom(
  '',
  'a line\n',
  'more ',
  'sk',
  '-live_01',
  '23456789abcdef ',
  ` ${secret} `,
  `${held} `,
  held.slice(0, 9),
  'é😀',
  ' API_KEY=hunt',
  'er22\n',
);
type Step =
  | { readonly do: 'grow' | 'replace' | 'raw' | 'grid'; readonly id: string; readonly text: string }
  | { readonly do: 'status'; readonly id: string; readonly status: 'pending' | 'in_progress' | 'completed' | 'failed' }
  | { readonly do: 'say'; readonly text: string }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'flush' | 'turn' };
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constantFrom('grow' as const, 'replace' as const, 'raw' as const, 'grid' as const), id, text: words }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('status' as const),
      id,
      status: fc.constantFrom('pending' as const, 'in_progress' as const, 'completed' as const, 'failed' as const),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('say' as const), text: words }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(10, 400, 1_500, 70_000) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('flush' as const, 'turn' as const) }) },
);

/** The events that the agent reports in the steps. */
class Teller {
  readonly events: SessionEvent[] = [started('t0')];
  readonly #texts = new Map<string, string>();
  readonly #parts = new Map<string, string[]>();
  #turns = 0;

  /** @returns the events of one step */
  tell(step: Step): readonly SessionEvent[] {
    const at = this.events.length + 1;
    const told = this.#tell(step, at);
    this.events.push(...told);
    return told;
  }

  #tell(step: Step, at: number): readonly SessionEvent[] {
    switch (step.do) {
      case 'grow':
      case 'replace': {
        const text = (step.do === 'grow' ? (this.#texts.get(step.id) ?? '') : '') + step.text;
        this.#texts.set(step.id, text);
        return [tool(step.id, shows(text), at)];
      }
      case 'raw': {
        const text = `${this.#texts.get(step.id) ?? ''}${step.text}`;
        this.#texts.set(step.id, text);
        return [tool(step.id, { rawOutput: { stdout: text, lines: [text, step.text] } }, at)];
      }
      case 'grid': {
        const parts = [...(this.#parts.get(step.id) ?? []), step.text];
        this.#parts.set(step.id, parts);
        return [
          tool(step.id, { content: parts.map((text) => ({ type: 'content', content: { type: 'text', text } })), rawInput: step.text }, at),
        ];
      }
      case 'status':
        return [tool(step.id, { status: step.status }, at)];
      case 'say':
        return [{ type: 'message', at, role: 'agent', content: { type: 'text', text: step.text } }];
      case 'turn':
        return [
          { ...ended(`t${this.#turns}`), at },
          { ...started(`t${++this.#turns}`), at: at + 1 },
        ];
      case 'pass':
      case 'flush':
        return [];
    }
  }
}

it('for any updates at any pace, the journal has the state that was shown', async (t) => {
  const time = fakeTimers(t);
  const redactor = new Redactor();
  redactor.addSecret(held);
  const lab = await openLab(t, { redactor });
  let sessions = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 40 }), async (steps) => {
      const sessionId = `s${++sessions}`;
      const teller = new Teller();
      const journal = lab.open(sessionId, true);
      journal.append(teller.events.slice());
      for (const step of steps) {
        journal.append(teller.tell(step));
        if (step.do === 'pass') time.pass(step.ms);
        // A flush writes all text so far, including the beginning of a secret. Updates of a tool may occur between two chunks of one text.
        const said = teller.events.findLast(({ type }) => type !== 'tool');
        if (step.do === 'flush' && said?.type !== 'message') await journal.flush();
      }
      await journal.close();
      const kept = await lastState(lab.store, sessionId);
      assert.ok(kept !== undefined);
      const shown = seen(teller.events, redactor);
      assert.deepEqual(withoutStarts({ ...kept, id: shown.id, sessionId: shown.sessionId }), withoutStarts(shown));
    }),
    {
      numRuns: 80,
      // An empty chunk behind the possible beginning of a secret.
      examples: [[[' API_KEY=hunt', ''].map((text) => ({ do: 'say', text }) as const)]],
    },
  );
});
