/** The replies of the scripted model in each case. A prompt names its case and the folder: `CASE:read DIR=FOLDER`. */
import path from 'node:path';
import { answer, type ModelReply, type ReplyPart, text } from './reply.js';
import { type ModelRequest, type Place, placeOf } from './request.js';
import { callFor, type Facts } from './tools.js';

/** Texts that show the checks that the reply of the model has arrived. */
export const said = {
  text: 'The scripted model says hello.',
  thought: 'I am thinking about the number four.',
  done: 'The scripted model is done.',
  beginning: 'The scripted model begins, ',
  failure: 'the scripted provider refuses this request',
  noQuestions: 'No tool asks the user.',
  noPlan: 'No tool keeps a plan.',
  noSubagents: 'No tool starts sub-agents.',
  noAnswers: 'No tool is called answer.',
  task: 'count the hits',
  /** @param prompts the number of prompts that the model has seen, including the last one */
  recall: (prompts: number) => `The scripted model saw ${prompts} prompts.`,
} as const;

/** The content of the folder before, and after the calls. */
export const files = {
  started: 'started.txt',
  late: 'late.txt',
  existing: 'a.txt',
  before: 'alpha\nbeta\n',
  edited: 'ALPHA\nbeta\n',
  created: 'new.txt',
  content: 'new content\n',
  /** Ends the command of `steered`. */
  go: 'go.txt',
} as const;
export const shellOutput = 'printed by the shell';

/** Changes files in the ways of a shell: in place, by moving, by removing, and many at once by a program of the folder. */
const rework = ['sed -i s/newline/NEWLINE/ sub/other.txt', 'mv moved.txt sub/moved.txt', 'rm removed.bin', 'sh generate.sh'].join(' && ');

/** @returns what names a case and the folder to the scripted model */
export const promptFor = (name: string, folder: string): string => `CASE:${name} DIR=${folder}`;

const done = answer(text(said.done));

type Step = (request: ModelRequest, place: Place) => ModelReply;

const steps: Readonly<Record<string, readonly Step[]>> = {
  text: [() => answer(text(said.text))],
  thinking: [() => answer({ type: 'thought', text: said.thought }, text(said.done))],
  read: [(request, place) => read(request, place), () => done],
  shell: [(request) => shell(request, `echo '${shellOutput}'; touch ran.txt`), () => done],
  rework: [(request) => shell(request, rework), () => done],
  write: [(request, { folder }) => write(request, path.join(folder, files.created)), () => done],
  'shell-fails': [(request) => shell(request, `echo '${shellOutput}'; exit 3`), () => done],
  overwrite: [(request, { folder }) => write(request, path.join(folder, files.existing)), () => done],
  edit: [(request, place) => read(request, place), (request, { folder }) => edit(request, path.join(folder, files.existing)), () => done],
  endless: [() => answer(text(said.beginning), { type: 'endless', text: 'and goes on, ' })],
  // `&&`, because if an agent ended the sleep before the shell, the shell would continue.
  'long-shell': [(request) => shell(request, `echo '${shellOutput}'; touch ${files.started}; sleep 30 && touch ${files.late}`), () => done],
  // Ends when the file is there, or after a minute.
  steered: [
    (request) =>
      shell(
        request,
        `touch ${files.started}; for i in ${'.'.repeat(60).split('').join(' ')}; do [ -e ${files.go} ] && break; sleep 1; done`,
      ),
    () => done,
  ],
  mcp: [(request) => answer(callFor(request, 'answer', {}) ?? text(said.noAnswers)), () => done],
  subagent: [
    (request, { folder }) => answer(callFor(request, 'subagent', { prompt: promptFor('read', folder) }) ?? text(said.noSubagents)),
    () => done,
  ],
  question: [
    (request) => answer(callFor(request, 'question', { question: 'Which color?', options: ['Red', 'Blue'] }) ?? text(said.noQuestions)),
    () => done,
  ],
  plan: [
    (request) => callTo(request, 'todo_write', { ops: [{ op: 'init', list: [{ phase: 'P', items: ['first', 'second'] }] }] }),
    () => done,
  ],
  task: [(request) => answer(callFor(request, 'plan', { task: said.task }) ?? text(said.noPlan)), () => done],
  diagnostics: [(request) => callTo(request, 'editor_diagnostics', {}), () => done],
  recall: [(_, { prompts }) => answer(text(said.recall(prompts)))],
  overloaded: [() => ({ type: 'error', status: 503, message: 'overloaded' })],
  error: [() => ({ type: 'error', status: 400, message: said.failure })],
};

/** @param request of any provider */
export function replyTo(request: ModelRequest): ModelReply {
  if (request.answerSchema !== undefined) return answer(text('{}'));
  const place = placeOf(request);
  const script = steps[place.name ?? ''];
  return (script?.[place.step] ?? script?.at(-1))?.(request, place) ?? done;
}

function first(...calls: readonly (ReplyPart | undefined)[]): ModelReply {
  const found = calls.find((one) => one !== undefined);
  return found === undefined ? answer(text('No tool for this case.')) : answer(found);
}

/** For a tool with its own arguments. */
function callTo(request: ModelRequest, name: string, input: Readonly<Record<string, unknown>>): ModelReply {
  return first(request.tools.some((tool) => tool.name === name) ? { type: 'call', name, arguments: input } : undefined);
}

function read(request: ModelRequest, { folder }: Place): ModelReply {
  const file = path.join(folder, files.existing);
  return first(callFor(request, 'read', { path: file }), callFor(request, 'shell', { command: `cat '${file}'` }));
}

function shell(request: ModelRequest, command: string): ModelReply {
  return first(callFor(request, 'shell', { command }));
}

function write(request: ModelRequest, file: string): ModelReply {
  const patch = `*** Begin Patch\n*** Add File: ${file}\n+${files.content}*** End Patch\n`;
  return change(request, 'write', { path: file, content: files.content, patch }, `printf 'new content\\n' > '${file}'`);
}

function edit(request: ModelRequest, file: string): ModelReply {
  const patch = `*** Begin Patch\n*** Update File: ${file}\n@@\n-alpha\n+ALPHA\n beta\n*** End Patch\n`;
  return change(request, 'edit', { path: file, before: 'alpha', after: 'ALPHA', patch }, `sed -i s/alpha/ALPHA/ '${file}'`);
}

function change(request: ModelRequest, purpose: 'write' | 'edit', facts: Facts, command: string): ModelReply {
  return first(callFor(request, purpose, facts), callFor(request, 'patch', facts), callFor(request, 'shell', { command }));
}
