/** The files of a folder that define MCP servers. Others wrote them. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { inputsIn, parseMcpFile, readMcpFiles, readMcpServers } from '../../../src/core/agents/mcpServers.js';
import { temporaryFolder } from '../host/launch.js';

describe('the text of a file with MCP servers', () => {
  it('may have comments and trailing commas, as in VS Code', () => {
    const file = parseMcpFile(`{
      // the servers
      "servers": { "a": { "command": "x", /* none */ "args": ["//", "/* no comment */",], }, },
      "inputs": [
        { "type": "promptString", "id": "key", "description": "The key", "password": true },
        { "type": "pickString", "id": "level", "options": ["low", { "label": "High", "value": "high" }], "default": "low" },
        { "type": "command", "id": "other", "command": "x" }, 7,
      ],
    }`);
    assert.deepEqual(JSON.parse(JSON.stringify(file)), {
      entries: { a: { command: 'x', args: ['//', '/* no comment */'] } },
      isEmpty: false,
      inputs: [
        { id: 'key', description: 'The key', isSecret: true },
        { id: 'level', description: 'level', isSecret: false, fallback: 'low', choices: ['low', 'high'] },
      ],
    });
  });

  it('has the servers of either member, and may have none', () => {
    const entriesOf = (text: string): unknown => JSON.parse(JSON.stringify(parseMcpFile(text)?.entries ?? null));
    assert.deepEqual(entriesOf('{"mcpServers": {"a": {}}}'), { a: {} });
    assert.deepEqual(entriesOf('{"servers": {"b": {}}, "inputs": []}'), { b: {} });
    assert.deepEqual(entriesOf('{}'), {});
  });

  it('that is no JSON object with the right types is refused', () => {
    const deep = '['.repeat(100_000);
    for (const text of [
      '',
      '[]',
      'null',
      'no JSON',
      '{"servers": []}',
      '{"servers": {}, "inputs": {}}',
      '{"servers": {}} x',
      '{"servers": {',
      deep,
    ])
      assert.equal(parseMcpFile(text), undefined, text.slice(0, 40));
  });

  it('gives no name a special meaning', () => {
    assert.deepEqual(Object.keys(parseMcpFile('{"__proto__": {"servers": {"a": {"command": "x"}}}}')?.entries ?? {}), []);
    const file = parseMcpFile('{"servers": {"__proto__": {"command": "x"}, "constructor": {"command": "y"}}}');
    assert.deepEqual(
      readMcpServers(file?.entries ?? {}, {}).servers.map(({ name }) => name),
      ['__proto__', 'constructor'],
    );
    assert.equal(({} as Record<string, unknown>)['command'], undefined);
  });

  it('may be nested deeply, or have many beginnings of comments and texts', () => {
    const deep = `{"servers": {"a": {"command": "x", "more": ${'['.repeat(100_000)}${']'.repeat(100_000)}}}}`;
    assert.equal(readMcpServers(parseMcpFile(deep)?.entries ?? {}, {}).servers.length, 1);
    assert.deepEqual([...inputsIn(parseMcpFile(deep)?.entries)], []);
    for (const part of ['/*', '//', '"', '\\"', ',', ', ', '/**']) assert.equal(parseMcpFile(part.repeat(100_000)), undefined);
  });

  it('is read or refused, whatever it is', () => {
    const json = fc.jsonValue().map((value) => JSON.stringify(value));
    const servers = fc.record({ servers: fc.jsonValue(), inputs: fc.jsonValue() }).map((value) => JSON.stringify(value));
    fc.assert(
      fc.property(fc.oneof(fc.string(), json, servers), (text) => {
        const file = parseMcpFile(text);
        if (file !== undefined) readMcpServers(file.entries, {});
      }),
    );
  });
});

describe('the files of a folder', { skip: process.platform === 'win32' ? 'needs links and pipes' : false }, () => {
  const valid = '{"servers": {"a": {"command": "x"}}}';

  it('are read in order, with a byte order mark or without', async (t) => {
    const folder = await temporaryFolder(t);
    assert.deepEqual(await readMcpFiles(folder), []);
    mkdirSync(join(folder, '.vscode'));
    writeFileSync(join(folder, '.vscode/mcp.json'), `\uFEFF${valid}`);
    writeFileSync(join(folder, '.mcp.json'), 'no JSON');
    const [first, second] = await readMcpFiles(folder);
    assert.ok(typeof first?.content === 'object');
    assert.deepEqual([first.name, Object.keys(first.content.entries)], ['.vscode/mcp.json', ['a']]);
    assert.deepEqual(second, { name: '.mcp.json', content: undefined });
  });

  it('are not opened if they lead out of it, are no files, or are large', async (t) => {
    const outside = await temporaryFolder(t);
    writeFileSync(join(outside, 'mcp.json'), valid);
    const make: Readonly<Record<string, (file: string) => void>> = {
      link: (file) => symlinkSync(join(outside, 'mcp.json'), file),
      device: (file) => symlinkSync('/dev/zero', file),
      loop: (file) => symlinkSync(file, file),
      dangling: (file) => symlinkSync(join(outside, 'missing'), file),
      pipe: (file) => void execFileSync('mkfifo', [file]),
      large: (file) => writeFileSync(file, valid + ' '.repeat(256 * 1024)),
    };
    for (const [name, create] of Object.entries(make)) {
      const folder = await temporaryFolder(t);
      create(join(folder, '.mcp.json'));
      assert.deepEqual(await readMcpFiles(folder), [{ name: '.mcp.json', content: 'other' }], name);
    }
    const folder = await temporaryFolder(t);
    symlinkSync(outside, join(folder, '.vscode'));
    assert.deepEqual(await readMcpFiles(folder), [{ name: '.vscode/mcp.json', content: 'other' }]);
  });
});
