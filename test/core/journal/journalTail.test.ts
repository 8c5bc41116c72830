/** Continues reading a conversation that is being written: the result must equal that of reading all of it. */
import assert from 'node:assert/strict';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { describe, it, type TestContext } from 'node:test';
import fc from 'fast-check';
import { readConversation } from '../../../src/core/journal/journalStore.js';
import { removeToolOutput } from '../../../src/core/journal/toolOutputRemoval.js';
import type { SessionEvent } from '../../../src/core/session/event.js';
import { reduceAll } from '../../../src/core/session/reducer.js';
import type { SessionState } from '../../../src/core/session/model.js';
import { chunk, ended, header, type JournalLab, openLab, started } from './journalLab.js';

const tool = (id: string, output: string, status: 'in_progress' | 'completed'): SessionEvent => ({
  type: 'tool',
  at: 2,
  id,
  toolCallId: id,
  patch: { title: 'Build', status, content: [{ type: 'content', content: { type: 'text', text: output } }] },
});

/** The state as a reader gets it, in which no turn is running. */
const atRest = (state: SessionState | undefined): SessionState | undefined =>
  state && reduceAll(state, [{ type: 'opened', at: 9, cwd: state.cwd, by: 'loaded' }]);
const whole = async ({ store }: JournalLab): Promise<SessionState | undefined> => atRest(await readConversation(store, 'agent', 's'));

const event = fc.oneof(
  fc.integer({ min: 1, max: 3 }).map((turn) => started(`t${turn}`)),
  fc.integer({ min: 1, max: 3 }).map((turn) => ended(`t${turn}`)),
  fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => chunk(text)),
  fc
    .tuple(
      fc.constantFrom('a', 'b'),
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.constantFrom('in_progress' as const, 'completed' as const),
    )
    .map(([id, output, status]) => tool(id, Buffer.from(output).toString(), status)),
);

describe('following a conversation', () => {
  it('after any writes, also over several files, the result equals reading all of it', async (t) => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(event, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 12 }), async (batches) => {
        // Small files, and enough space for all of them, because the tail still has what retention removes from a file that was read.
        const lab = await openLab(t, { limits: { perSessionBytes: 16_000, totalBytes: 1_000_000 } });
        const journal = lab.store.begin(header('s'));
        const tail = lab.store.tail('agent', 's');
        for (const batch of [[started('t0')], ...batches]) {
          journal.append(batch);
          await journal.flush();
          assert.deepEqual(atRest(await tail.read()), await whole(lab));
        }
        await journal.close();
        assert.deepEqual(atRest(await tail.read()), await whole(lab));
      }),
      { numRuns: 60, interruptAfterTimeLimit: 60_000 },
    );
  });

  it('it waits for the rest of an incomplete line', async (t) => {
    const { lab, path } = await openWritten(t);
    const tail = lab.store.tail('agent', 's');
    await tail.read();
    const line = JSON.stringify(chunk('and münchen'));
    await appendFile(path, Buffer.from(line).subarray(0, -6));
    assert.deepEqual(words(await tail.read()), ['one']);
    await appendFile(path, `${Buffer.from(line).subarray(-6).toString()}\n`);
    assert.deepEqual(words(await tail.read()), ['oneand münchen']);
  });

  it('it reads a line once if its line break arrives later', async (t) => {
    const { lab, path } = await openWritten(t);
    await appendFile(path, JSON.stringify(chunk(' two')));
    const tail = lab.store.tail('agent', 's');
    assert.deepEqual(words(await tail.read()), ['one two']);
    await appendFile(path, `\n${JSON.stringify(chunk(' three'))}\n`);
    assert.deepEqual(words(await tail.read()), ['one two three']);
  });

  it('it does not read anything twice', async (t) => {
    const { lab, path } = await openWritten(t);
    const tail = lab.store.tail('agent', 's');
    await tail.read();
    // Changed in place, so that only reading it again would show the difference.
    await writeFile(path, (await readFile(path, 'utf8')).replace('"one"', '"ONE"'));
    await appendFile(path, `${JSON.stringify(chunk(' two'))}\n`);
    assert.deepEqual(words(await tail.read()), ['one two']);
  });

  it('it reads a file again that was replaced or has become shorter', async (t) => {
    const { lab, path } = await openWritten(t, tool('a', 'x'.repeat(500), 'completed'));
    const tail = lab.store.tail('agent', 's');
    await tail.read();
    assert.ok((await removeToolOutput(path)) > 0);
    assert.deepEqual(atRest(await tail.read()), await whole(lab));
    const [head = ''] = (await readFile(path, 'utf8')).split('\n');
    await writeFile(path, `${head}\n${JSON.stringify(started('t9', 'anew'))}\n`);
    assert.deepEqual(atRest(await tail.read()), await whole(lab));
  });

  it('it shows an unfinished turn as running, and has no state if nothing was saved', async (t) => {
    const { lab } = await openWritten(t);
    assert.equal((await lab.store.tail('agent', 's').read())?.turn.type, 'running');
    assert.equal(await lab.store.tail('agent', 'other').read(), undefined);
  });
});

async function openWritten(t: TestContext, ...more: readonly SessionEvent[]): Promise<{ lab: JournalLab; path: string }> {
  const lab = await openLab(t);
  const journal = lab.store.begin(header('s'));
  journal.append([started('t1'), chunk('one'), ...more]);
  await journal.close();
  const [path = assert.fail('no file')] = await lab.files();
  return { lab, path };
}

function words(state: SessionState | undefined): readonly string[] {
  const items = (state?.items ?? []).flatMap((item) => (item.kind === 'message' && item.role === 'agent' ? item.content : []));
  return items.flatMap((block) => (block.type === 'text' ? [block.text] : []));
}
