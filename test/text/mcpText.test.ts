import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leftOutText } from '../../src/text/mcpText.js';

test('what is said about a server that is left out stays on one line', () => {
  assert.equal(
    leftOutText({ server: 'a\nb', code: 'variable', variable: 'env:KEY\n2026-01-01 [error] x\u202E' }),
    'MCP server "a b": There is no environment variable KEY 2026-01-01 [error] x<U+202E>',
  );
  assert.equal(leftOutText({ server: '.mcp.json', code: 'file_text' }), '.mcp.json: It is not a JSON file with MCP servers');
});
