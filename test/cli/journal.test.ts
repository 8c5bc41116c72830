/** What the command line saves, and how it shows it again. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { sessionsLine, showLine, type SessionsLine, type ShowLine } from '../../src/cli/output/reportSchema.js';
import { makePlace, type Place, testAgent } from './cliProcess.js';
import { endEngine, keepEngine } from './engineOf.js';
import { runHere } from './runHere.js';

let place: Place;
let leaveEngine: (() => Promise<void>) | undefined;
beforeEach(async () => {
  place = await makePlace({ 'a.txt': 'one\n' });
});
afterEach(async () => {
  if (leaveEngine !== undefined) {
    await leaveEngine();
    leaveEngine = undefined;
    await endEngine(place);
  }
  await place.remove();
});

const sessions = async (...args: readonly string[]): Promise<SessionsLine['sessions']> =>
  sessionsLine.parse(JSON.parse((await runHere(place, ['sessions', '--format', 'json', ...args])).stdout)).sessions;
const show = async (id: string): Promise<ShowLine> =>
  showLine.parse(JSON.parse((await runHere(place, ['show', id, '--format', 'json'])).stdout));
/** Returns the only file, or the one that contains the text. */
const savedFile = async (text = ''): Promise<string> => {
  const folder = path.join(place.env['ACP_HOST_STATE'] ?? '', 'journals');
  for (const name of await readdir(folder)) {
    if ((await readFile(path.join(folder, name), 'utf8')).includes(text)) return path.join(folder, name);
  }
  throw new Error(`No journal in which ${text} stands`);
};

test('a run leaves nothing behind but its conversation', async () => {
  const state = place.env['ACP_HOST_STATE'] ?? '';
  for (const args of [['run'], ['run', '--continue']]) {
    const { code, stderr } = await runHere(place, [...args, '--agent', 'demo', 'list']);
    assert.equal(code, 0, stderr);
    assert.equal(existsSync(path.join(state, 'engine.json')), false);
  }
  await runHere(place, ['chat', '--format', 'json', '--agent', 'demo'], { stdin: '{"prompt":"list"}\n' });
  assert.equal(existsSync(path.join(state, 'engine.json')), false);
});

describe('saved sessions', () => {
  test('the list has the newest first, with the first words of the first prompt', async () => {
    assert.equal((await runHere(place, ['sessions'])).stdout, `No saved sessions in ${place.env['ACP_HOST_STATE']}.\n`);
    assert.equal(existsSync(place.env['ACP_HOST_STATE'] ?? ''), false, 'listing creates no folder');
    leaveEngine = await keepEngine(place);
    await runHere(place, ['run', '--agent', 'demo', 'read a.txt']);
    await runHere(place, ['run', '--agent', 'demo', 'list']);
    const saved = await sessions();
    assert.deepEqual(
      saved.map(({ agent, title }) => [agent, title]),
      [
        ['demo', 'list'],
        ['demo', 'read a.txt'],
      ],
    );
    const text = (await runHere(place, ['sessions'])).stdout;
    assert.match(text, new RegExp(`^${saved[0]?.id}  \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d  demo  .*  list\\n`));
  });

  test('--search finds words in any order and case, and says where', async () => {
    leaveEngine = await keepEngine(place);
    const run = (prompt: string) => runHere(place, ['run', '--agent', 'demo', '--permission', 'allow', prompt]);
    await run('run echo needle');
    await run('say first\nand the Needle of a\thaystack');
    await run('list');
    const found = await sessions('--search', ' NEEDLE ');
    assert.deepEqual(
      found.map(({ title, found: { by, text } = { by: undefined, text: '' } }) => [title, by, text.includes('eedle')]),
      [
        ['say first', 'user', true],
        ['run echo needle', 'agent', true],
      ],
    );
    const { code, stdout, stderr } = await runHere(place, ['sessions', '--search', 'needle haystack']);
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /^[^\n]* {2}say first {2}You: [^\n]*the Needle of a haystack[^\n]*\n$/);
    const none = await runHere(place, ['sessions', '--search', 'nowhere']);
    assert.deepEqual([none.code, none.stderr], [0, '']);
    assert.match(none.stdout, /^No saved sessions in .* with "nowhere"\.\n$/);
    for (const wrong of [
      ['--search', ' '],
      ['--search', 'x', '--agent', 'demo'],
    ])
      assert.equal((await runHere(place, ['sessions', ...wrong])).code, 2);
  });

  test('show prints a session by the beginning of its id in three formats', async () => {
    leaveEngine = await keepEngine(place);
    await runHere(place, ['run', '--agent', 'demo', 'read a.txt']);
    const [saved] = await sessions();
    const shown = await show(saved?.id.slice(0, 12) ?? '');
    assert.deepEqual([shown.id, shown.open, shown.dropped], [saved?.id, false, 0]);
    assert.deepEqual(shown.items[0] && { ...shown.items[0], at: '' }, { type: 'prompt', at: '', text: 'read a.txt' });
    assert.ok(shown.items.some((item) => item.type === 'tool' && item.status === 'completed'));
    assert.ok(shown.items.some((item) => item.type === 'answer' && item.text.includes('1 line and 4 bytes')));
    const text = (await runHere(place, ['show', shown.id])).stdout;
    assert.match(text, /\n\n> read a\.txt\n\n[\s\S]*✓ Read a\.txt\n\n[\s\S]*1 line and 4 bytes/);
    const markdown = (await runHere(place, ['show', shown.id, '--format', 'md'])).stdout;
    assert.match(markdown, /^# [\s\S]*## Prompt\n\nread a\.txt\n\n## Answer\n\n[\s\S]*\*✓ Read a\.txt\*/);
  });

  test('show marks an interrupted turn, also without a recorded end', async () => {
    await runHere(place, ['run', '--agent', 'demo', 'fail crash']);
    const [crashed] = await sessions();
    const end = (await show(crashed?.id ?? '')).items.at(-1);
    assert.deepEqual(end && { ...end, at: '', message: '' }, {
      type: 'end',
      at: '',
      outcome: 'interrupted',
      stopReason: 'interrupted',
      message: '',
    });
    assert.match((await runHere(place, ['show', crashed?.id ?? ''])).stdout, /Now I crash\.\n\nInterrupted: .*70\n$/);

    await runHere(place, ['run', '--agent', 'demo', 'read a.txt']);
    const file = await savedFile('read a.txt');
    const lines = (await readFile(file, 'utf8')).split('\n');
    await writeFile(file, `${lines.filter((line) => !line.includes('"turn_ended"')).join('\n')}{"type":"mess`);
    const torn = (await Promise.all((await sessions()).map(({ id }) => show(id)))).find(({ open }) => open);
    assert.equal(torn?.dropped, 1);
    assert.match((await runHere(place, ['show', torn?.id ?? ''])).stdout, /This turn has no recorded end[\s\S]*1 line of the journal/);
  });

  test('show has the end of each tool call, as text and as JSON', async () => {
    leaveEngine = await keepEngine(place);
    await runHere(place, ['chat', ...testAgent('leavesCallsOpen'), '--format', 'json', '--permission', 'reject'], {
      stdin: '{"prompt":"open"}\n{"prompt":"onlyAsks"}\n',
    });
    const [saved] = await sessions();
    const { items } = await show(saved?.id ?? '');
    assert.deepEqual(
      items.flatMap((item) => (item.type === 'tool' ? [item.status] : [])),
      ['unreported', 'rejected'],
    );
    const { stdout } = await runHere(place, ['show', saved?.id ?? '']);
    assert.deepEqual(stdout.match(/^- Run it.*$/gm), ['- Run it (no end reported)', '- Run it (rejected)']);
  });

  test('--state sets their folder, and an invalid file affects only itself', async () => {
    const state = path.join(place.workspace, 'elsewhere');
    await runHere(place, ['run', '--agent', 'demo', '--state', state, 'list']);
    await writeFile(path.join(state, 'journals', 'foreign.jsonl'), 'nothing that we wrote\n');
    assert.deepEqual(await sessions(), []);
    assert.deepEqual(
      (await sessions('--state', state)).map(({ title }) => title),
      ['list'],
    );
  });

  test('a journal of another version is reported and left unchanged', async () => {
    await runHere(place, ['run', '--agent', 'demo', 'list']);
    const [saved] = await sessions();
    const file = await savedFile();
    const newer = (await readFile(file, 'utf8')).replace(/"version":\d+/, '"version":99');
    await writeFile(file, newer);
    const { code, stderr } = await runHere(place, ['show', saved?.id ?? '']);
    assert.equal(code, 3);
    assert.match(stderr, /another version/);
    assert.equal(await readFile(file, 'utf8'), newer);
  });

  test('a journal that cannot be written is reported, and the run continues', async () => {
    const state = path.join(place.workspace, 'a.txt');
    const { code, stdout, stderr } = await runHere(place, ['run', '--agent', 'demo', '--state', state, 'read a.txt']);
    assert.equal(code, 0);
    assert.match(stdout, /1 line and 4 bytes/);
    assert.match(stderr, /can't be saved right now: the path is not a folder/);
  });

  test('a journal contains no secrets', async () => {
    await runHere(place, ['run', ...testAgent('obedient'), 'say the key is sk-live_0123456789abcdef'], {
      env: { MY_API_KEY: 'plain words' },
    });
    assert.doesNotMatch(await readFile(await savedFile(), 'utf8'), /sk-live_0123456789abcdef/);
  });

  test('an id prefix that matches two sessions is refused', async () => {
    await runHere(place, ['run', ...testAgent('obedient'), 'say one']);
    const file = await savedFile();
    const own = await readFile(file, 'utf8');
    const other = own.replaceAll('"sessionId":"s1"', '"sessionId":"s12"').replace(/"id":"[^"]*"/, '"id":"other"');
    await writeFile(path.join(path.dirname(file), 'other.jsonl'), other);
    assert.equal((await runHere(place, ['show', 's1'])).code !== 2, true, 'a whole id counts before a beginning');
    const { code, stderr } = await runHere(place, ['show', 's']);
    assert.equal(code, 2);
    assert.match(stderr, /s1, s12|s12, s1/);
  });

  test('two conversations with the same id from the agent are separate, and both can be shown', async () => {
    leaveEngine = await keepEngine(place);
    await runHere(place, ['run', ...testAgent('obedient'), 'say first']);
    await runHere(place, ['run', ...testAgent('obedient'), 'say second']);
    const saved = await sessions();
    assert.deepEqual(
      saved.map(({ title }) => title),
      ['say second', 'say first'],
    );
    assert.equal(saved[0]?.id, saved[1]?.id);
    const references = (await runHere(place, ['sessions'])).stdout.split('\n').map((line) => line.split(' ')[0] ?? '');
    assert.deepEqual(references.slice(0, 2), [saved[0]?.id, saved[1]?.conversation]);
    for (const [index, words] of ['second', 'first'].entries()) {
      const { items } = await show(references[index] ?? '');
      assert.deepEqual(
        items.flatMap((item) => (item.type === 'answer' ? [item.text] : [])),
        [words],
      );
    }
    assert.equal((await runHere(place, ['show', saved[0]?.id.slice(0, 1) ?? ''])).code, 0, 'the beginning of one id');
  });

  test('a conversation that continued in a new session is one, and all of it is shown, also if the agent reuses the id', async () => {
    for (const env of [{ OBEDIENT_FORGETS: '1' }, { OBEDIENT_FORGETS: '1', OBEDIENT_UNIQUE_IDS: '1' }]) {
      const state = path.join(place.workspace, `state ${Object.keys(env).length}`);
      const here = ['--state', state];
      for (const args of [
        ['run', ...testAgent('obedient'), 'say first'],
        ['run', '--continue', '--recover', 'fresh', 'say second'],
      ]) {
        const { code, stderr } = await runHere(place, [...args, ...here], { env });
        assert.equal(code, 0, stderr);
      }
      const [saved, ...others] = await sessions(...here);
      assert.deepEqual([saved?.title, others], ['say first', []]);
      const { stdout } = await runHere(place, ['show', saved?.id ?? '', '--format', 'json', ...here]);
      const shown = showLine.parse(JSON.parse(stdout));
      assert.equal(shown.id, saved?.id);
      assert.deepEqual(
        shown.items.flatMap((item) => (item.type === 'prompt' || item.type === 'answer' ? [item.text] : [])),
        ['say first', 'first', 'say second', 'second'],
      );
      const byConversation = await runHere(place, ['show', saved?.conversation ?? '', ...here]);
      assert.match(
        byConversation.stdout,
        /> say first\n\nfirst\n\nThe conversation continues in a new session\.\n\n> say second\n\nsecond\n/,
      );
    }
  });

  test('a conversation that no list has yet, because its engine was killed, is listed and shown', async () => {
    await runHere(place, ['run', ...testAgent('obedient'), 'say first']);
    const [before] = await sessions();
    await rm(path.join(place.env['ACP_HOST_STATE'] ?? '', 'conversations'), { recursive: true });
    const [saved, ...others] = await sessions();
    assert.deepEqual([saved?.id, saved?.conversation, saved?.title, others], [before?.id, before?.conversation, 'say first', []]);
    const { items } = await show(saved?.id ?? '');
    assert.deepEqual(
      items.flatMap((item) => (item.type === 'answer' ? [item.text] : [])),
      ['first'],
    );
  });
});
