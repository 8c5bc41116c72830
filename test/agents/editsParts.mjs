// Changes parts of files. Each line of the prompt, `FILE OLD => NEW`, is a request of its own, and all of them are open at once. What the user
// allows is written to the file on the disk.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { request, serve, update } from './wire.mjs';

const options = [
  { optionId: 'once', name: 'Yes', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
];
let calls = 0;

async function change(sessionId, line) {
  const [, name, oldText, newText] = /^(\S+) (.*) => (.*)$/.exec(line);
  const file = path.join(process.cwd(), name);
  const toolCallId = `call-${++calls}`;
  const content = [{ type: 'diff', path: file, oldText, newText }];
  const fields = { title: `Edit ${name}`, kind: 'edit', rawInput: { file_path: file }, locations: [{ path: file }], content };
  update(sessionId, { sessionUpdate: 'tool_call', toolCallId, status: 'pending', ...fields });
  const { outcome } = await request('session/request_permission', { sessionId, toolCall: { toolCallId, ...fields }, options });
  const isAllowed = outcome.optionId === 'once';
  if (isAllowed)
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace(oldText, () => newText),
    );
  update(sessionId, { sessionUpdate: 'tool_call_update', toolCallId, status: isAllowed ? 'completed' : 'failed' });
}

let sessions = 0;
serve({
  'session/new': () => ({ sessionId: `s${++sessions}` }),
  'session/prompt': async ({ sessionId, prompt }) => {
    await Promise.all(prompt[0].text.split('\n').map((line) => change(sessionId, line)));
    return { stopReason: 'end_turn' };
  },
});
