/** The script of the mock model: its replies by scenario and step. Tool names and arguments are agentao's. */
import { fileURLToPath } from 'node:url';
import { type ChatRequest, lastToolResult, textOf } from './chatRequest.js';
import { type Reply, answer, call, calls, done, finish, gate, raw, refusal, reset, role, stream, text, thought } from './reply.js';

export interface StepContext {
  readonly request: ChatRequest;
  /** The `Authorization` header as it came. */
  readonly authorization: string;
}

export type Step = Reply | ((context: StepContext) => Reply);

/** One step per request of a turn; the last one answers all further requests. */
export type Scenario = readonly [Step, ...Step[]];

const shell = (id: string, command: string): ReturnType<typeof call> => call(id, 'run_shell_command', { command, description: 'print' });
const linkedPath = ({ messages }: ChatRequest): string =>
  fileURLToPath(
    messages.map((message) => /\]\((file:[^)]+)\)/.exec(textOf(message))?.[1]).findLast((uri) => uri !== undefined) ?? 'file:///none',
  );
const sayDone = answer(text('Done.'));
const sayToolResult: Step = ({ request }) => answer(text(`The tool said: ${lastToolResult(request)}`));
const ask = (args: object): Scenario => [calls([call('call_ask', 'ask_user', args)]), sayToolResult];
const todos = (first: string, second: string): Reply =>
  calls([
    call(`call_plan_${first}`, 'todo_write', {
      todos: [
        { content: 'step 1', status: first },
        { content: 'step 2', status: second },
      ],
    }),
  ]);
export const providerError = (status: number, message: string, headers: Readonly<Record<string, string>> = {}): Reply => ({
  type: 'http',
  status,
  headers,
  body: { error: { message, type: 'mock', code: 'mock' } },
});
const readA = calls([call('call_read', 'read_file', { file_path: 'a.txt' })]);

/** Printed by `shell` before its pause, and after it. */
export const shellOutput = { first: 'one\n', all: 'one\ntwo\n' };
export const bigAnswer = 'ä'.repeat(200_000);
export const longAnswer = { before: 'It begins. ', after: Array.from({ length: 200 }, (_, index) => `w${index} `) };

const answers = {
  text: [answer(text('Hello '), text('there.'))],
  'echo-model': [({ request }) => answer(text(`I am ${request.model}.`))],
  thinking: [answer(thought('first '), thought('thought'), text('So '), thought('second thought'), text('it is.'))],
  big: [answer(text(bigAnswer))],
  /** Stops at the gate of its own name after the first words. */
  long: [answer(text(longAnswer.before), gate('long'), ...longAnswer.after.map(text))],
  /** Does not answer at all, not even with headers, until the gate is released. */
  silence: [stream(gate('silence'), role, text('At last.'), finish('stop'), done)],
  empty: [stream(role, finish('stop'), done)],
  length: [stream(role, text('cut off mid'), finish('length'), done)],
  refusal: [stream(role, refusal('I cannot'), finish('content_filter'), done)],
} satisfies Record<string, Scenario>;

const tools = {
  read: [readA, sayDone],
  /** Reads the file that the prompt links to. */
  'read-linked': [({ request }) => calls([call('call_linked', 'read_file', { file_path: linkedPath(request) })]), sayDone],
  'think-and-read': [
    calls([call('call_read', 'read_file', { file_path: 'a.txt' })], [thought('thinking hard'), text('Let me read it. ')]),
    sayDone,
  ],
  shell: [calls([shell('call_shell', `printf 'one\\n'; sleep 0.3; printf 'two\\n'; exit 3`)]), sayToolResult],
  /** Two commands one after the other, for "always". */
  'shell-twice': [calls([shell('call_first', `printf 'first\\n'`)]), calls([shell('call_second', `printf 'second\\n'`)]), sayDone],
  /** Two commands in one batch. */
  'shell-batch': [calls([shell('c1', 'touch one.txt'), shell('c2', 'touch two.txt')]), sayDone],
  /** Prints, then hangs; the file would come only after a minute. */
  'shell-hangs': [calls([shell('call_hangs', `printf 'started\\n'; sleep 60; touch created.txt`)]), sayDone],
  /** Prints more than any agent keeps back, then goes on only when there is a file `go.txt`. */
  'shell-waits': [calls([shell('call_waits', 'seq 1 2000; until [ -e go.txt ]; do sleep 0.05; done; touch created.txt')]), sayDone],
  'shell-flood': [calls([shell('call_flood', 'seq 1 20000')]), sayDone],
  'read-and-shell': [calls([call('call_read', 'read_file', { file_path: 'a.txt' }), shell('call_shell', `printf 'out\\n'`)]), sayDone],
  write: [calls([call('call_write', 'write_file', { file_path: 'out.txt', content: 'new content\n' })]), sayToolResult],
  append: [calls([call('call_append', 'write_file', { file_path: 'a.txt', content: 'omega\n', append: true })]), sayToolResult],
  replace: [calls([call('call_replace', 'replace', { file_path: 'a.txt', old_text: 'alpha', new_text: 'ALPHA' })]), sayToolResult],
  'failed-edit': [calls([call('call_edit', 'replace', { file_path: 'a.txt', old_text: 'does not occur', new_text: 'x' })]), sayToolResult],
  'write-outside': [calls([call('call_outside', 'write_file', { file_path: '../outside.txt', content: 'x' })]), sayToolResult],
  'wrong-arguments': [calls([call('call_wrong', 'read_file', { nope: 1 })]), sayDone],
  'no-such-tool': [calls([call('call_none', 'no_such_tool', {})]), sayDone],
  'arguments-not-json': [calls([{ id: 'call_garbled', name: 'read_file', arguments: '{"file_path": ' }]), sayDone],
  /** Two steps that use one tool call id. */
  'same-id': [readA, calls([call('call_read', 'list_directory', { directory_path: '.' })]), sayDone],
  'doom-loop': [readA],
} satisfies Record<string, Scenario>;

const interactions = {
  'ask-free': ask({ question: 'Your name?' }),
  'ask-single': ask({ question: 'Which one?', header: 'Pick', options: ['A', 'B'] }),
  'ask-multiple': ask({ question: 'Which ones?', header: 'Pick', options: ['A', 'B', 'C'], multiple: true, allow_custom: false }),
  plan: [todos('in_progress', 'pending'), todos('completed', 'in_progress'), sayDone],
  /** Needs `.agentao/settings.json` with `{"agents":{"enable_builtin":true}}` in the folder. */
  'sub-agent': [calls([call('call_agent', 'agent_codebase_investigator', { task: 'SC:inner investigate' })]), sayDone],
  inner: [
    calls([call('inner_read', 'read_file', { file_path: 'a.txt' }), shell('inner_shell', 'touch inner.txt')]),
    calls([call('inner_complete', 'complete_task', { result: 'inner result' })]),
    sayDone,
  ],
} satisfies Record<string, Scenario>;

const failures = {
  'http-401': [providerError(401, 'bad key')],
  'http-401-quotes-key': [({ authorization }) => providerError(401, `Incorrect API key provided: ${authorization.replace('Bearer ', '')}`)],
  'http-429': [providerError(429, 'slow down', { 'Retry-After': '0' })],
  'bad-json': [stream(role, raw('data: {not json\n\n'))],
  reset: [stream(role, text('partial '), gate('reset'), reset)],
  'clean-close': [stream(role, text('partial '))],
  'close-at-once': [stream()],
} satisfies Record<string, Scenario>;

export const scenarios: ReadonlyMap<string, Scenario> = new Map(
  Object.entries<Scenario>({ ...answers, ...tools, ...interactions, ...failures }),
);

/** For a prompt without a marker: a person who tries the mock by hand. */
export const introduction: Reply = answer(
  text(
    `I am a scripted model. Put one of these markers into your prompt:\n\n${[...scenarios.keys()].map((name) => `- SC:${name}`).join('\n')}\n`,
  ),
);

export function replyFor(name: string | undefined, step: number, context: StepContext): Reply {
  if (name === undefined) return introduction;
  const scenario = scenarios.get(name);
  if (scenario === undefined) return providerError(400, `The mock model knows no scenario ${name}.`);
  const found = scenario[Math.min(step, scenario.length - 1)] ?? scenario[0];
  return typeof found === 'function' ? found(context) : found;
}
