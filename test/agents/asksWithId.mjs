// Asks for a permission under the id of its first argument, as JSON text, and says what it was answered; with NULL_IDS, its notifications have an id that is null.
import { readLines } from './lines.mjs';

const [, , id = '1'] = process.argv;
const write = (line) => process.stdout.write(`${line}\n`);
const absent = process.env.NULL_IDS ? '"id":null,' : '';
const update = (text) =>
  write(
    `{"jsonrpc":"2.0",${absent}"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":${JSON.stringify(text)}}}}}`,
  );
const request = {
  sessionId: 's1',
  toolCall: { toolCallId: 't', title: 'Do it', kind: 'execute', rawInput: { command: 'ls' } },
  options: [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }],
};

let promptId;
readLines(process.stdin, (line) => {
  const message = JSON.parse(line);
  const answer = (result) => write(JSON.stringify({ jsonrpc: '2.0', id: message.id, result, error: null }));
  if (message.method === 'initialize') answer({ protocolVersion: 1, agentInfo: { name: 'asker', version: '1' }, agentCapabilities: {} });
  else if (message.method === 'session/new') answer({ sessionId: 's1' });
  else if (message.method === 'session/prompt') {
    promptId = message.id;
    write(`{"jsonrpc":"2.0","id":${id},"method":"session/request_permission","params":${JSON.stringify(request)}}`);
  } else if (message.method === undefined) {
    update(`answered as ${/"id":([^,]*)/.exec(line)?.[1]} with ${message.result?.outcome?.optionId}`);
    write(JSON.stringify({ jsonrpc: '2.0', id: promptId, result: { stopReason: 'end_turn' } }));
  }
});
