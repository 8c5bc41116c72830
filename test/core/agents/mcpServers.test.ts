/** MCP servers as users configure them, and what agents get of them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readMcpServers, serversInFile } from '../../../src/core/agents/mcpServers.js';

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

  it('in a file is the member of either name', () => {
    assert.deepEqual(serversInFile('{"mcpServers": {"a": {}}}'), { a: {} });
    assert.deepEqual(serversInFile('{"servers": {"b": {}}, "inputs": []}'), { b: {} });
    for (const text of ['', '[]', '{}', '{"servers": []}', 'no JSON']) assert.equal(serversInFile(text), undefined, text);
  });
});
