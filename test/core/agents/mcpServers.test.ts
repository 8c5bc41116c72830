/** MCP servers as users configure them, and what agents get of them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { definedServer, inputsIn, parseMcpFile, readMcpServers } from '../../../src/core/agents/mcpServers.js';

describe('the configuration of MCP servers', () => {
  it('is that of VS Code and Claude Code', () => {
    const { servers, problems } = readMcpServers(
      {
        files: { command: 'npx', args: ['-y', 'files', '${workspaceFolder}/src'], env: { LEVEL: 2, DEBUG: true } },
        plain: { type: 'stdio', command: './server' },
        issues: { url: 'https://example.com/mcp', headers: { Authorization: 'Bearer ${env:TOKEN}' } },
        old: { type: 'sse', url: 'http://127.0.0.1:1/${PATH_PART}' },
      },
      { workspaceFolder: '/project', TOKEN: 't0', PATH_PART: 'sse' },
    );
    assert.deepEqual(problems, []);
    assert.deepEqual(servers, [
      {
        name: 'files',
        command: 'npx',
        args: ['-y', 'files', '/project/src'],
        env: [
          { name: 'LEVEL', value: '2' },
          { name: 'DEBUG', value: 'true' },
        ],
      },
      { name: 'plain', command: './server', args: [], env: [] },
      { type: 'http', name: 'issues', url: 'https://example.com/mcp', headers: [{ name: 'Authorization', value: 'Bearer t0' }] },
      { type: 'sse', name: 'old', url: 'http://127.0.0.1:1/sse', headers: [] },
    ]);
  });

  it('may name the transport as MCP does', () => {
    for (const type of ['http', 'streamable-http', 'streamableHttp', 'streamable_http']) {
      const { servers } = readMcpServers({ issues: { type, url: 'https://example.com/mcp' } }, {});
      assert.deepEqual(servers, [{ type: 'http', name: 'issues', url: 'https://example.com/mcp', headers: [] }], type);
    }
  });

  it('may have the transport under its own name, which does not replace the type', () => {
    const url = 'https://example.com/mcp';
    const entries = { a: { transport: 'sse', url }, b: { transport: 'streamable-http', url }, c: { type: 'http', transport: 'sse', url } };
    assert.deepEqual(
      readMcpServers(entries, {}).servers.map((server) => 'type' in server && server.type),
      ['sse', 'http', 'http'],
    );
  });

  it('may disable a server, which then is not told of, and needs no value', () => {
    const entries = {
      off: { command: 'a', env: { KEY: '${input:key}' }, disabled: true },
      notOn: { url: 'https://example.com/mcp', enabled: false },
      on: { command: 'b', disabled: false, enabled: true },
    };
    const { servers, problems } = readMcpServers(entries, {});
    assert.deepEqual([servers.map(({ name }) => name), problems], [['on'], []]);
    assert.deepEqual(Object.keys(parseMcpFile(JSON.stringify({ mcpServers: entries }))?.entries ?? {}), ['on']);
  });

  it('loses only the server that is wrong, and says which and why', () => {
    const { servers, problems } = readMcpServers(
      {
        good: { command: 'a' },
        nothing: null,
        empty: {},
        text: { command: 'a', args: 'b c' },
        deep: { command: 'a', env: { A: {} } },
        scheme: { url: 'file:///etc/passwd' },
        unset: { command: 'a', env: { KEY: '${env:NOT_SET}' } },
        asks: { command: 'a', args: ['${input:key}'] },
      },
      {},
    );
    assert.deepEqual(
      servers.map(({ name }) => name),
      ['good'],
    );
    assert.deepEqual(
      problems.map(({ server, code, variable }) => [server, code, variable].filter((part) => part !== undefined).join(' ')),
      ['nothing shape', 'empty shape', 'text shape', 'deep shape', 'scheme url', 'unset variable env:NOT_SET', 'asks variable input:key'],
    );
  });

  it('never fails, whatever it holds', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (entries) => {
        const { servers, problems } = readMcpServers(entries, {});
        assert.equal(servers.length + problems.length, Object.keys(entries).length);
      }),
    );
  });

  it('has defaults for variables, and values of inputs', () => {
    const entry = { command: '${input:tool}', args: ['${A:-x:-y}', '${env:B:-}', '${C}'] };
    const { servers } = readMcpServers({ a: entry }, { 'input:tool': 't', C: 'c' });
    assert.deepEqual(servers, [{ name: 'a', command: 't', args: ['x:-y', '', 'c'], env: [] }]);
    assert.deepEqual([...inputsIn(entry)], ['tool']);
  });

  it('has no variables but those that are given, whatever their names', () => {
    for (const name of ['constructor', '__proto__', 'toString']) {
      const { problems } = readMcpServers({ a: { command: `\${${name}}` } }, {});
      assert.deepEqual(problems, [{ server: 'a', code: 'variable', variable: name }]);
    }
  });

  it('loses a server that agents could only start as another one', () => {
    const { servers, problems } = readMcpServers(
      { here: { command: 'a', cwd: '${workspaceFolder}' }, there: { command: 'a', cwd: '/' }, file: { command: 'a', envFile: '.env' } },
      { workspaceFolder: '/project' },
    );
    assert.deepEqual(servers, [{ name: 'here', command: 'a', args: [], env: [] }]);
    assert.deepEqual(
      problems.map(({ variable }) => variable),
      ['cwd', 'envFile'],
    );
  });

  it('is what the user is shown: whatever the values are, only they differ', () => {
    const word = fc.oneof(fc.constantFrom('${V}', 'x${input:i}', '-y', 'https://example.com/${V}'), fc.string({ maxLength: 3 }));
    const entry = fc.record(
      {
        type: fc.constantFrom('stdio', 'http', 'sse', 'ws'),
        command: word,
        args: fc.array(word),
        url: word,
        env: fc.dictionary(word, word),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(entry, (one) => {
        const shown = definedServer('a', one);
        const [server] = readMcpServers({ a: one }, { V: 'v', 'input:i': 'i' }).servers;
        if (server === undefined) return;
        const filled: unknown = JSON.parse(JSON.stringify(shown).replaceAll('${V}', 'v').replaceAll('${input:i}', 'i'));
        // The names of variables are not filled.
        const plain: unknown = JSON.parse(JSON.stringify(server).replaceAll('${V}', 'v').replaceAll('${input:i}', 'i'));
        assert.deepEqual(plain, filled);
      }),
    );
  });
});
