/** MCP servers for the agent, from a file. */
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { type CliResult, makePlace, type Place, testAgent } from './cliProcess.js';
import { runHere } from './runHere.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.remove());

async function runWith(content: string, env: Readonly<Record<string, string>> = {}): Promise<CliResult> {
  const file = path.join(place.workspace, 'mcp.json');
  await writeFile(file, content);
  return runHere({ ...place, env: { ...place.env, ...env } }, ['run', ...testAgent('tellsItsServers'), '--mcp-config', file, 'servers?']);
}

const content = JSON.stringify({
  mcpServers: {
    files: { command: 'files', args: ['--root', '.'] },
    issues: { type: 'http', url: 'https://example.com/mcp', headers: { Authorization: 'Bearer ${env:ISSUES_TOKEN}' } },
  },
});
const files = { name: 'files', command: 'files', args: ['--root', '.'], env: [] };

test('the agent gets the servers that it can reach, and the others are named', async () => {
  const withHttp = await runWith(content, { ISSUES_TOKEN: 'a-secret-of-the-user', HTTP: '1' });
  const headers = [{ name: 'Authorization', value: '••••' }];
  const [first, second] = JSON.parse(withHttp.stdout.replace(/Bearer [^"]*/, '••••')) as readonly [unknown, unknown];
  assert.deepEqual([first, second], [files, { type: 'http', name: 'issues', url: 'https://example.com/mcp', headers }]);
  assert.doesNotMatch(withHttp.stderr, /MCP/);
  const without = await runWith(content, { ISSUES_TOKEN: 'a-secret-of-the-user' });
  assert.deepEqual(JSON.parse(without.stdout), [files]);
  assert.match(without.stderr, /An MCP server was left out/);
  assert.match(without.stderr, /issues/);
});

test('a file with a mistake starts nothing, and the error names it', async () => {
  for (const [text, problem] of [
    [content, /ISSUES_TOKEN/],
    ['{}', /mcpServers/],
    ['no JSON', /mcpServers/],
    [JSON.stringify({ servers: { a: { args: [] } } }), /MCP server "a"/],
  ] as const) {
    const { code, stderr, stdout } = await runWith(text);
    assert.equal(code, 2, stderr);
    assert.match(stderr, problem);
    assert.equal(stdout, '');
  }
});

test('a file whose servers are all disabled is no mistake', async () => {
  const { code, stdout, stderr } = await runWith(JSON.stringify({ mcpServers: { off: { command: 'a', disabled: true } } }));
  assert.equal(code, 0, stderr);
  assert.deepEqual(JSON.parse(stdout), []);
});

test('inputs have their values from the environment, or their defaults; a server without one is left out with a word', async () => {
  const file = `{
    // As VS Code writes it.
    "inputs": [
      { "type": "promptString", "id": "api-key", "description": "The key", "password": true },
      { "type": "pickString", "id": "level", "description": "The level", "options": ["low", "high"], "default": "low" },
    ],
    "servers": { "a": { "command": "a", "args": ["\${input:level}", "--key=\${input:api-key}"] }, "b": { "command": "b" }, },
  }`;
  const given = await runWith(file, { INPUT_API_KEY: 'quite-a-value-of-the-user' });
  assert.match(given.stdout, /"low","--key=quite-a-value/);
  const saved = await readdir(place.env['ACP_HOST_STATE'] ?? '', { recursive: true, withFileTypes: true });
  const texts = await Promise.all(
    saved.filter((one) => one.isFile()).map((one) => readFile(path.join(one.parentPath, one.name), 'utf8').catch(() => '')),
  );
  assert.match(texts.join(''), /--key=/);
  assert.doesNotMatch(texts.join(''), /quite-a-value/);
  const missing = await runWith(file);
  assert.deepEqual(JSON.parse(missing.stdout), [{ name: 'b', command: 'b', args: [], env: [] }]);
  assert.match(missing.stderr, /MCP server "a": It needs a value for \$\{input:api-key\}/);
});

test('the agent gets the instructions of --system-prompt, or the user is told', async () => {
  const run = (env: NodeJS.ProcessEnv): Promise<CliResult> =>
    runHere({ ...place, env: { ...place.env, ...env } }, [
      'run',
      ...testAgent('usesItsContext'),
      '--system-prompt',
      'Be brief.',
      'instructions',
    ]);
  const systemPrompt = { mode: 'append', content: [{ type: 'text', text: 'Be brief.' }] };
  const given = await run({ SYSTEM: '1' });
  assert.deepEqual(JSON.parse(given.stdout), [['new', systemPrompt]]);
  assert.doesNotMatch(given.stderr, /system prompt/);
  const without = await run({});
  assert.deepEqual(JSON.parse(without.stdout), [['new', null]]);
  assert.match(without.stderr, /takes no system prompt/);
});

test('the agent can work in the folders of --add-dir', async () => {
  const other = path.join(place.workspace, 'other');
  const run = (...dirs: readonly string[]): Promise<CliResult> =>
    runHere({ ...place, env: { ...place.env, ROOTS: '1' } }, [
      'run',
      ...testAgent('usesItsContext'),
      ...dirs.flatMap((dir) => ['--add-dir', dir]),
      'told',
    ]);
  const missing = await run(other);
  assert.equal(missing.code, 2);
  assert.match(missing.stderr, /other/);
  await mkdir(other);
  const given = await run(other, other);
  assert.deepEqual(JSON.parse(given.stdout), [['new', [await realpath(other)]]]);
});
