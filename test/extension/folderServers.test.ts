/** The user's consent to MCP servers that files of a folder define. The editor is a fake. */
import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, test, type TestContext } from 'node:test';
import { Redactor } from '../../src/core/index.js';
import { editor } from '../fakes/vscodeFake.js';
import { createFolderServers } from '../../src/extension/agent/folderServers.js';

const chooseLabel = 'Choose Servers…';
const noneLabel = "Don't Allow Any";

beforeEach(() => Object.assign(editor, { answer: undefined, picked: undefined, typed: undefined, shown: [], details: [], listed: [] }));

function lab(t: TestContext) {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'acp-host-mcp-')));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const state = new Map<string, unknown>();
  const secrets = new Map<string, string>();
  const redactor = new Redactor();
  const create = () =>
    createFolderServers({
      memory: { get: <T>(key: string) => state.get(key) as T, update: async (key: string, value: unknown) => void state.set(key, value) },
      values: {
        read: async (key) => secrets.get(key),
        write: async (key, value) => void secrets.set(key, value),
        remove: async (key) => void secrets.delete(key),
      },
      redactor,
    });
  return {
    folder,
    state,
    secrets,
    redactor,
    write: (content: unknown) => writeFileSync(path.join(folder, '.mcp.json'), JSON.stringify(content)),
    /** In a window of its own each time. */
    allowed: async (taken: readonly string[] = []) => {
      const { servers, problems, secretValues: found } = await create().allowedIn(folder, { HOME: '/home/me' }, new Set(taken));
      return {
        servers: servers.map((server) => ('url' in server ? server.url : [server.command, ...server.args].join(' '))),
        leftOut: problems.map(({ server, code }) => `${server} ${code}`),
        found,
      };
    },
    chooseAgain: () => create().chooseAgain(folder),
  };
}

const two = {
  mcpServers: { a: { command: 'one', args: ['--at', '${HOME}', 'x y'], env: { KEY: 'v' } }, b: { url: 'https://example.com/b' } },
};

test('nothing is given before the user chose it, and the choice is remembered', async (t) => {
  const { write, allowed } = lab(t);
  write(two);
  assert.deepEqual(await allowed(), { servers: [], leftOut: ['a undecided', 'b undecided'], found: [] });
  Object.assign(editor, { answer: chooseLabel, picked: ['a (.mcp.json)'], shown: [] });
  assert.deepEqual((await allowed()).servers, ['one --at /home/me x y']);
  assert.match(editor.details.join(), /\n {4}one --at \$\{HOME\} "x y"\n {4}KEY=v\n/);
  assert.match(editor.details.join(), /\n {4}https:\/\/example.com\/b/);
  Object.assign(editor, { answer: undefined, shown: [] });
  assert.deepEqual(await allowed(), { servers: ['one --at /home/me x y'], leftOut: ['b declined'], found: [] });
  assert.deepEqual(editor.shown, []);
});

test('a definition that changed is asked about again, alone', async (t) => {
  const { write, allowed } = lab(t);
  write(two);
  Object.assign(editor, { answer: chooseLabel, picked: ['a (.mcp.json)', 'b (.mcp.json)'] });
  assert.equal((await allowed()).servers.length, 2);
  const changes = [{ command: 'two' }, { args: ['--at'] }, { env: { KEY: 'w' } }, { env: { KEY: 'v', NODE_OPTIONS: '-r x' } }];
  for (const change of changes) {
    write({ mcpServers: { ...two.mcpServers, a: { ...two.mcpServers.a, ...change } } });
    Object.assign(editor, { answer: undefined, shown: [], details: [] });
    assert.deepEqual(await allowed(), { servers: ['https://example.com/b'], leftOut: ['a undecided'], found: [] });
    assert.doesNotMatch(editor.details.join(), /example\.com/);
  }
  // As it was allowed.
  write(two);
  assert.equal((await allowed()).servers.length, 2);
});

test('an input that is no secret any more is asked about again, before its value could reach a log', async (t) => {
  const { write, allowed } = lab(t);
  const withKey = (password: boolean) => ({
    inputs: [{ type: 'promptString', id: 'key', password }],
    servers: { a: { command: 'one', args: ['--key=${input:key}'] } },
  });
  write(withKey(true));
  Object.assign(editor, { answer: chooseLabel, picked: ['a (.mcp.json)'], typed: 'a-secret-value' });
  assert.deepEqual((await allowed()).found, ['a-secret-value']);
  write(withKey(false));
  editor.answer = undefined;
  assert.deepEqual(await allowed(), { servers: [], leftOut: ['a undecided'], found: [] });
});

test('keys that were meant for something else allow nothing and refuse nothing for good', async (t) => {
  const { write, allowed, state } = lab(t);
  write(two);
  // Enter for the first button, and then for a list in which nothing is selected.
  Object.assign(editor, { answer: chooseLabel, picked: [] });
  assert.deepEqual((await allowed()).leftOut, ['a undecided', 'b undecided']);
  assert.equal(state.size, 0);
  editor.answer = noneLabel;
  assert.deepEqual((await allowed()).leftOut, ['a declined', 'b declined']);
});

test('two conversations that start at once ask once', async (t) => {
  const { folder, write } = lab(t);
  write(two);
  const state = new Map<string, unknown>();
  const servers = createFolderServers({
    memory: { get: <T>(key: string) => state.get(key) as T, update: async (key: string, value: unknown) => void state.set(key, value) },
    values: { read: async () => undefined, write: async () => {}, remove: async () => {} },
    redactor: new Redactor(),
  });
  editor.answer = noneLabel;
  await Promise.all([servers.allowedIn(folder, {}, new Set()), servers.allowedIn(folder, {}, new Set())]);
  assert.equal(editor.shown.length, 1);
});

test('a value is asked for once, kept among the secrets only, and forgotten with the consent', async (t) => {
  const { folder, write, allowed, secrets, state, redactor, chooseAgain } = lab(t);
  writeFileSync(
    path.join(folder, '.mcp.json'),
    JSON.stringify({
      inputs: [{ type: 'promptString', id: 'key', description: 'The key', password: true }],
      servers: { a: { command: 'one', args: ['--key=${input:key}'] } },
    }),
  );
  Object.assign(editor, { answer: chooseLabel, picked: ['a (.mcp.json)'] });
  assert.deepEqual(await allowed(), { servers: [], leftOut: ['a variable'], found: [] });
  editor.typed = 'a-secret-value';
  const expected = { servers: ['one --key=a-secret-value'], leftOut: [], found: ['a-secret-value'] };
  assert.deepEqual(await allowed(), expected);
  editor.typed = 'another';
  assert.deepEqual(await allowed(), expected);
  assert.equal(redactor.text('--key=a-secret-value').includes('secret-value'), false);
  assert.doesNotMatch(JSON.stringify([...state]), /secret-value/);
  editor.answer = noneLabel;
  assert.equal(await chooseAgain(), 'changed');
  assert.equal(secrets.size, 0);
  assert.equal(await chooseAgain(), 'unchanged');
  write({});
  assert.equal(await chooseAgain(), 'none');
});

for (const [what, remove] of [
  ['its server', (file: string) => writeFileSync(file, JSON.stringify({ servers: {} }))],
  ['the file that defines it', (file: string) => rmSync(file)],
] as const)
  test(`a value is forgotten with ${what}, and not because the file can't be read`, async (t) => {
    const { folder, write, allowed, secrets, state } = lab(t);
    write({ inputs: [{ type: 'promptString', id: 'key' }], servers: { a: { command: 'one', args: ['${input:key}'] } } });
    Object.assign(editor, { answer: chooseLabel, picked: ['a (.mcp.json)'], typed: 'value' });
    await allowed();
    assert.equal(secrets.size, 1);
    const file = path.join(folder, '.mcp.json');
    writeFileSync(file, '{');
    await allowed();
    assert.equal(secrets.size, 1);
    remove(file);
    await allowed();
    assert.equal(secrets.size, 0);
    assert.deepEqual([...state.values()].at(-1), []);
  });

test('the question says where a misleading URL leads, and what is not encrypted', async (t) => {
  const { write, allowed } = lab(t);
  write({
    mcpServers: {
      a: { url: 'https://b\u0430nk.example/mcp' },
      b: { url: 'https://bank.example@evil.example' },
      c: { url: 'http://bank.example', headers: { KEY: '${env:KEY}' } },
      d: { url: 'http://localhost:1' },
      e: { url: 'https://${HOST}/' },
    },
  });
  await allowed();
  const [detail = ''] = editor.details;
  assert.match(detail, /\n {4}https:\/\/b\u0430nk\.example\/mcp\n {4}This address leads to xn--bnk-6cd\.example\.\n\n/);
  assert.match(detail, /\n {4}https:\/\/bank\.example@evil\.example\n {4}This address leads to evil\.example\.\n\n/);
  assert.match(detail, /\n {4}http:\/\/bank\.example\n {4}The connection is not encrypted, .*\n {4}KEY=\$\{env:KEY\}\n\n/);
  assert.match(detail, /\n {4}http:\/\/localhost:1\n\ne/);
  assert.match(detail, /\n {4}https:\/\/\$\{HOST\}\/$/);
});

test('a file writes no link to a command into the question for a value', async (t) => {
  const { write, allowed } = lab(t);
  const description = 'See [here](command:workbench.action.quit) $(key)\u202E\nor there';
  write({ inputs: [{ type: 'promptString', id: 'key', description }], servers: { 'a\nb': { command: 'one', args: ['${input:key}'] } } });
  Object.assign(editor, { answer: chooseLabel, picked: ['a b (.mcp.json)'], typed: 'value' });
  assert.deepEqual((await allowed()).servers, ['one value']);
  assert.equal(editor.input?.prompt, 'See [here] (command:workbench.action.quit) $ (key)<U+202E> or there');
  assert.equal(editor.input.title, 'Value for the MCP Server "a b"');
});

test('what can not be used is not asked about, and said', async (t) => {
  const { folder, write, allowed } = lab(t);
  Object.assign(editor, { answer: chooseLabel, picked: ['long (.mcp.json)', 'own (.mcp.json)', 'bad (.mcp.json)'] });
  write({ mcpServers: { own: { command: 'x' }, bad: { args: [] }, long: { command: 'x'.repeat(1_200) }, at: { command: 'x', cwd: '/' } } });
  assert.deepEqual(await allowed(['own']), {
    servers: [],
    leftOut: ['own same_name', 'bad shape', 'long too_long', 'at member'],
    found: [],
  });
  assert.deepEqual(editor.shown, []);
  writeFileSync(path.join(folder, '.mcp.json'), '{');
  assert.deepEqual((await allowed()).leftOut, ['.mcp.json file_text']);
});

test('a folder with much to check asks in parts that can be seen as a whole, and not without end', async (t) => {
  const { write, allowed, chooseAgain } = lab(t);
  write({ mcpServers: Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`s${at}`, { command: 'x' }])) });
  editor.answer = noneLabel;
  const { leftOut } = await allowed();
  assert.equal(editor.details.length, 4);
  for (const detail of editor.details) assert.ok(detail.split('\n').length < 30);
  assert.deepEqual(
    [leftOut.filter((one) => one.endsWith('declined')).length, leftOut.filter((one) => one.endsWith('too_long')).length],
    [32, 28],
  );
  Object.assign(editor, { answer: chooseLabel, picked: ['s0 (.mcp.json)', 's31 (.mcp.json)'] });
  assert.equal(await chooseAgain(), 'changed');
  assert.equal((await allowed()).servers.length, 2);
});

test('the question shows what is used: the command of an http server is no disguise, and nothing is hidden', async (t) => {
  const { write, allowed } = lab(t);
  write({
    mcpServers: {
      a: { type: 'http', command: 'harmless', url: 'https://evil.example' },
      'b\n\nc': { command: 'x\u202Ey', args: ['', 'z\n'] },
    },
  });
  await allowed();
  const [detail = ''] = editor.details;
  assert.match(detail, /https:\/\/evil\.example/);
  assert.doesNotMatch(detail, /harmless/);
  assert.match(detail, /\nb c \(\.mcp\.json\)\n {4}x<U\+202E>y "" z<U\+000A>/);
});
