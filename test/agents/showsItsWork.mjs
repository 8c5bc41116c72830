// Works on samples/workspace as an agent with a model would, without one. The first word of the prompt says what it does: `work` is a whole
// turn, `command`, `edit` and `form` send one request, and everything else gets an answer.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { request, say, serve, update } from './wire.mjs';

const cwd = process.cwd();
const at = (name) => path.join(cwd, name);
let calls = 0;
/** Reports a tool call. @returns its id */
function call(sessionId, fields) {
  const toolCallId = `call-${++calls}`;
  update(sessionId, { sessionUpdate: 'tool_call', toolCallId, status: 'in_progress', ...fields });
  return toolCallId;
}
const done = (sessionId, toolCallId, fields = {}) =>
  update(sessionId, { sessionUpdate: 'tool_call_update', toolCallId, status: 'completed', ...fields });
const text = (value) => [{ type: 'content', content: { type: 'text', text: value } }];

const options = [
  { optionId: 'once', name: 'Yes', kind: 'allow_once' },
  { optionId: 'always', name: "Yes, and don't ask again", kind: 'allow_always' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
];

function diffOf(name, change) {
  const oldText = readFileSync(at(name), 'utf8');
  return { type: 'diff', path: at(name), oldText, newText: change(oldText) };
}
const tolerantWords = () =>
  diffOf('src/wordCount.js', (source) =>
    source
      .replace('export function words(text) {\n', "export function words(text) {\n  if (typeof text !== 'string') return [];\n")
      .replace('.toLowerCase().match', '.toLocaleLowerCase().match'),
  );

/** Resolves with the id of the call when the user has decided. */
async function ask(sessionId, fields) {
  const toolCallId = call(sessionId, fields);
  await request('session/request_permission', { sessionId, toolCall: { toolCallId, ...fields }, options });
  return toolCallId;
}

const does = {
  async work(sessionId) {
    const thought = {
      type: 'text',
      text: 'The counter fails for anything that is not a text. I read it first, then I make `words` tolerant.',
    };
    update(sessionId, { sessionUpdate: 'agent_thought_chunk', content: thought });
    say(sessionId, 'I look at the counter and its tests first.');
    for (const name of ['src/wordCount.js', 'test/wordCount.test.js', 'package.json'])
      done(sessionId, call(sessionId, { title: `Read ${name}`, kind: 'read', locations: [{ path: at(name) }] }));
    done(sessionId, call(sessionId, { title: 'Search countWords', kind: 'search', rawInput: { pattern: 'countWords' } }));
    const created = { type: 'diff', path: at('test/tolerant.test.js'), oldText: null, newText: "import test from 'node:test';\n" };
    const locations = [{ path: at('src/wordCount.js') }];
    const content = [tolerantWords(), created];
    const edited = await ask(sessionId, { title: 'Edit src/wordCount.js', kind: 'edit', locations, content });
    for (const change of content) writeFileSync(change.path, change.newText);
    done(sessionId, edited);
    const run = call(sessionId, { title: 'npm test', kind: 'execute', rawInput: { command: 'npm test' } });
    done(sessionId, run, { content: text('> word-counter@1.0.0 test\n\n# tests 9\n# pass 9\n# fail 0') });
    const lint = call(sessionId, { title: 'npx eslint .', kind: 'execute', rawInput: { command: 'npx eslint .' } });
    done(sessionId, lint, { status: 'failed', content: text('sh: 1: eslint: not found') });
    say(
      sessionId,
      [
        '`words` now returns an empty list for everything that is not a text:',
        '',
        '```js',
        "if (typeof text !== 'string') return [];",
        '```',
        '',
        '- The lower case follows the **locale** of the user, see src/wordCount.js:4.',
        '- There is a test for `undefined`, and all 9 tests pass.',
      ].join('\n'),
    );
    update(sessionId, { sessionUpdate: 'usage_update', used: 24_000, size: 200_000 });
  },
  command: (sessionId) =>
    ask(sessionId, {
      title: 'rm -rf build && npm run build -- --mode production',
      kind: 'execute',
      rawInput: { command: 'rm -rf build && npm run build -- --mode production', description: 'Build from scratch' },
    }),
  edit: (sessionId) =>
    ask(sessionId, {
      title: 'Edit src/wordCount.js',
      kind: 'edit',
      rawInput: { path: at('src/wordCount.js') },
      locations: [{ path: at('src/wordCount.js'), line: 2 }],
      content: [tolerantWords()],
    }),
  form: (sessionId) =>
    request('elicitation/create', {
      sessionId,
      mode: 'form',
      message: 'How should the release be made?',
      requestedSchema: {
        type: 'object',
        properties: {
          version: { type: 'string', title: 'Version', description: 'Semantic version, without a prefix', minLength: 5, default: '1.1.0' },
          channel: {
            type: 'string',
            title: 'Channel',
            oneOf: ['Stable', 'Preview'].map((title) => ({ const: title.toLowerCase(), title })),
          },
          targets: { type: 'array', title: 'Targets', items: { enum: ['npm', 'Open VSX', 'GitHub'] } },
          announce: { type: 'boolean', title: 'Announce it', default: true },
        },
        required: ['version', 'channel'],
      },
    }),
};

const selects = [
  ['mode', 'Mode', 'mode', ['Ask first', 'Plan', 'Auto']],
  ['model', 'Model', 'model', ['Sonnet 5.4', 'Opus 5.4']],
].map(([id, name, category, names]) => ({
  id,
  name,
  category,
  type: 'select',
  currentValue: names[0],
  options: names.map((one) => ({ value: one, name: one })),
}));

let sessions = 0;
serve({
  'session/new': () => ({ sessionId: `s${++sessions}`, configOptions: selects }),
  'session/prompt': async ({ sessionId, prompt }) => {
    const [word] = prompt[0].text.split(' ');
    if (Object.hasOwn(does, word)) await does[word](sessionId);
    else say(sessionId, 'Nothing to do there.');
    return { stopReason: 'end_turn' };
  },
});
