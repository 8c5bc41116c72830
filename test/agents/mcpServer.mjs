// An MCP server over stdio with one tool, `answer`. It says its arguments and the value of the variable KEY.
import { readLines } from './lines.mjs';

const text = () => `The answer is ${process.argv.slice(2).join(' ')} with ${process.env.KEY ?? 'no key'}`;
const results = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'answers', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'answer', description: 'Answers', inputSchema: { type: 'object', properties: {} } }] }),
  'tools/call': () => ({ content: [{ type: 'text', text: text() }] }),
  ping: () => ({}),
};
const missing = { error: { code: -32601, message: 'Method not found' } };
readLines(
  process.stdin,
  (line) => {
    const { id, method, params } = JSON.parse(line);
    const answer = method in results ? { result: results[method](params) } : missing;
    if (id !== undefined) process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
  },
  () => process.exit(0),
);
