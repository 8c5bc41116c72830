/** What users do with an agent, one case each, driven through the command line. */
import * as z from 'zod/mini';
import type { EventLine } from '../../src/cli/output/eventSchema.js';
import type { CliProcess } from '../cli/cliProcess.js';
import { eventsOf } from '../cli/cliProcess.js';
import { descendants } from '../real/processes.js';
import { answerOf, errorOf, hasDiff, lastTurn, only, permissionRequests, thoughtsOf, toolText, updates } from './events.js';
import { files, said, shellOutput } from './model/script.js';
import { endedWell, expectAnswer, failed, hasAnswered, recalled, short, worded, wrongIn } from './outcome.js';
import { delegates, plans, steered } from './reports.js';
import { forked, listed, rewound } from './savedSessions.js';
import { callsMcpTool, usesFiles, usesTerminals } from './services.js';
import { finish, soFar, turnEnds, until } from './talk.js';
import type { Trial } from './trial.js';
import { undone } from './undo.js';
import { byAgent, fault, type Verdict, works } from './verdict.js';

export interface Case {
  readonly title: string;
  /** Starts the agent without its key. */
  readonly withoutKey?: boolean;
  /** Also applies to an agent whose turns the model does not script. */
  readonly forAll?: boolean;
  run(trial: Trial): Promise<Verdict>;
}

/** How the conversation continued after a crash, by `how` of the session event. */
const continuedBy: Readonly<Record<string, string>> = {
  loaded: 'resumed with session/load',
  resumed: 'resumed with session/resume',
  fresh: 'continued in a new session',
};
const allow = ['--permission', 'allow'];
const reject = ['--permission', 'reject'];

export const cases: readonly Case[] = [
  { title: 'text', forAll: true, run: async (trial) => expectAnswer(trial, await trial.run([], 'text')) },
  {
    title: 'thinking',
    async run(trial) {
      const run = await trial.run([], 'thinking');
      if (thoughtsOf(run.events).includes(said.thought)) return works();
      return endedWell(run) ? byAgent('does not report its thoughts') : failed(run);
    },
  },
  {
    title: 'read a file',
    async run(trial) {
      const run = await trial.run(allow, 'read');
      if (!endedWell(run)) return failed(run);
      return toolText(run.events).includes(files.existing) ? works() : byAgent('no tool call names the file');
    },
  },
  {
    title: 'shell, allowed',
    async run(trial) {
      const run = await trial.run(allow, 'shell');
      if (!endedWell(run)) return failed(run);
      if ((await trial.read('ran.txt')) === undefined) return fault('the command did not run');
      const asked = permissionRequests(run.events) > 0 ? undefined : 'never asks for permission';
      return toolText(run.events).includes(shellOutput) ? works(asked) : byAgent('does not report the output of the command');
    },
  },
  {
    title: 'shell, rejected',
    async run(trial) {
      const run = await trial.run(reject, 'shell');
      const ran = (await trial.read('ran.txt')) !== undefined;
      if (permissionRequests(run.events) === 0) return ran ? byAgent('never asks for permission') : failed(run);
      return ran ? fault('the command ran') : works(`the turn then ${worded(lastTurn(run.events))}`);
    },
  },
  { title: 'asks before it acts', run: asksFirst },
  {
    title: 'write a file',
    async run(trial) {
      const run = await trial.run(allow, 'write');
      if (!endedWell(run)) return failed(run);
      const wrong = await wrongIn(trial);
      if (wrong !== undefined) return wrong;
      return hasDiff(run.events) ? works() : byAgent('reports no diff');
    },
  },
  {
    title: 'edit a file',
    async run(trial) {
      const run = await trial.run(allow, 'edit');
      if (!endedWell(run)) return failed(run);
      if ((await trial.read(files.existing)) !== files.edited) return fault('the file was not changed');
      return hasDiff(run.events) ? works() : byAgent('reports no diff');
    },
  },
  { title: 'changes, and undo', run: undone },
  {
    title: 'cancel while it streams',
    forAll: true,
    run: (trial) => cancelAt(trial, allow, 'endless', (cli) => until(cli, 'words', (events) => answerOf(events) !== '')),
  },
  {
    title: 'cancel while a command runs',
    async run(trial) {
      const verdict = await cancelAt(trial, allow, 'long-shell', () => trial.appears(files.started));
      return (await trial.read(files.late)) === undefined ? verdict : byAgent('stops only after the command has ended');
    },
  },
  {
    title: 'cancel while it asks',
    async run(trial) {
      const probe = await trial.run(reject, 'shell');
      if (permissionRequests(probe.events) === 0) return byAgent('never asks for permission');
      const verdict = await cancelAt(trial, [], 'long-shell', (cli) =>
        until(cli, 'a permission request', (events) => permissionRequests(events) > 0),
      );
      return verdict;
    },
  },
  {
    title: 'two prompts',
    async run(trial) {
      const cli = trial.chat([]);
      cli.writeLine({ prompt: trial.prompt('text') });
      await turnEnds(cli, 1);
      cli.writeLine({ prompt: trial.prompt('recall') });
      await turnEnds(cli, 2);
      return recalled(await finish(cli), 2);
    },
  },
  {
    title: 'resume in a new process',
    async run(trial) {
      const first = await trial.run([], 'text');
      const sessionId = only(first.events, 'session')[0]?.sessionId;
      if (sessionId === undefined) return failed(first);
      const second = await trial.run(['--session', sessionId], 'recall');
      if (only(second.events, 'recovery').length > 0 || second.code === 3)
        return byAgent(errorOf(second.events) ?? 'cannot resume sessions');
      return recalled(second.events, 2);
    },
  },
  { title: 'killed in a turn', forAll: true, run: killed },
  {
    title: 'no key',
    withoutKey: true,
    async run(trial) {
      if (trial.agent.keys.length === 0) return byAgent('needs no key');
      const run = await trial.run([], 'text');
      if (run.code === 0) return byAgent('works without a key');
      return run.code === 4 ? works() : byAgent(`exit ${run.code}: ${short(errorOf(run.events))}`);
    },
  },
  { title: 'mode', run: (trial) => choose(trial, 'mode') },
  { title: 'model', run: (trial) => choose(trial, 'model') },
  {
    title: 'error of the provider',
    async run(trial) {
      const run = await trial.run([], 'error');
      const words = `${errorOf(run.events) ?? ''} ${answerOf(run.events)}`;
      if (words.includes(said.failure)) return run.code === 0 ? byAgent('reports the error as an answer') : works();
      const isSilent = only(run.events, 'turn').some((line) => line.phase === 'end' && line.silent === true);
      return isSilent ? byAgent('ends the turn without a reply') : fault(`the reason is not reported: ${short(words)}`);
    },
  },
  {
    title: 'question',
    async run(trial) {
      const run = await trial.run(['--answer', 'Blue'], 'question');
      if (answerOf(run.events).includes(said.noQuestions)) return byAgent('has no tool to ask the user');
      const asked = only(run.events, 'question').some(({ phase }) => phase === 'request');
      if (asked) return endedWell(run) ? works() : failed(run);
      if (permissionRequests(run.events) > 0) return byAgent('asks with a permission request');
      return endedWell(run) ? byAgent('has a tool for questions, but does not ask the user') : failed(run);
    },
  },
  { title: 'steering', run: steered },
  { title: 'plan', run: plans },
  { title: 'sub-agent', run: delegates },
  { title: 'files of the host', run: usesFiles },
  { title: 'terminals', run: usesTerminals },
  { title: 'MCP server of the host', run: callsMcpTool },
  { title: 'list of sessions', run: listed },
  { title: 'fork', run: forked },
  { title: 'rewind', run: rewound },
];

/** Everything that asks is rejected, so what happens was not asked about. */
async function asksFirst(trial: Trial): Promise<Verdict> {
  const command = await trial.runAsIs(reject, 'shell');
  const change = await trial.runAsIs(reject, 'write');
  const acts = [
    ...((await trial.read('ran.txt')) === undefined ? [] : ['ran a command']),
    ...((await trial.read(files.created)) === undefined ? [] : ['wrote a file']),
  ];
  const events = [...command.events, ...change.events];
  if (acts.length === 0) return permissionRequests(events) > 0 ? works() : failed(command);
  const isTold = only(events, 'notice').some(({ code }) => code?.endsWith('_unasked') === true);
  const session = only(events, 'session')[0];
  const mode = session === undefined ? undefined : choiceIn(session, events, 'mode').current;
  // A mode in which files are changed says so itself.
  if (!isTold && (mode === undefined || acts.includes('ran a command')))
    return fault(`${acts.join(' and ')} without asking, and nothing says so`);
  return byAgent(`acts without asking: ${acts.join(' and ')}${mode === undefined ? '' : ` in its mode ${mode}`}`);
}

async function cancelAt(
  trial: Trial,
  args: readonly string[],
  name: string,
  isThere: (cli: CliProcess) => Promise<void>,
): Promise<Verdict> {
  const cli = trial.chat(args);
  cli.writeLine({ prompt: trial.prompt(name) });
  await Promise.race([isThere(cli), turnEnds(cli, 1)]);
  cli.writeLine({ cancel: true });
  await turnEnds(cli, 1);
  const end = lastTurn(soFar(cli));
  cli.writeLine({ prompt: trial.prompt('text') });
  await turnEnds(cli, 2);
  const events = await finish(cli);
  if (!hasAnswered(trial, events)) return fault(`after ${end} the agent does not answer any more: ${short(errorOf(events))}`);
  return end === 'ended cancelled' ? works() : byAgent(`the turn ${worded(end)}`);
}

/** Whether the second turn has begun to answer. */
function isUnderWay(events: readonly EventLine[]): boolean {
  const began = events.findLastIndex((line) => line.event === 'turn' && line.phase === 'start');
  return only(events, 'turn').filter(({ phase }) => phase === 'start').length === 2 && answerOf(events.slice(began)) !== '';
}

async function killed(trial: Trial): Promise<Verdict> {
  const cli = trial.chat(allow);
  cli.writeLine({ prompt: trial.prompt('text') });
  await turnEnds(cli, 1);
  cli.writeLine({ prompt: trial.prompt('endless') });
  await until(cli, 'the beginning of an answer', isUnderWay);
  const [program = ''] = trial.agent.name.split(/-\d/);
  const all = await descendants(program === 'sdk-example' ? 'examples/agent.js' : program.replace(/-cli$/, ''));
  // The command line started the engine, and that the agent.
  const engine = (await descendants('engine.mjs')).find(({ parent }) => parent === cli.child.pid);
  const agent = all.find(({ parent }) => parent === engine?.pid);
  if (agent === undefined) return fault('the agent process was not found');
  process.kill(agent.pid, 'SIGKILL');
  await turnEnds(cli, 2);
  await until(cli, 'the agent again', (events) => only(events, 'session').length >= 2 || only(events, 'recovery').length > 0);
  cli.writeLine({ skip: true });
  if (only(eventsOf(cli.stdout), 'recovery').length > 0) cli.writeLine({ recover: 'context' });
  cli.writeLine({ prompt: trial.prompt('text') });
  await turnEnds(cli, 3);
  const events = await finish(cli);
  const how = only(events, 'session').at(-1)?.how ?? 'gone';
  const ends = only(events, 'turn').flatMap((line) => (line.phase === 'end' ? [line.outcome] : []));
  if (ends[1] !== 'interrupted') return fault(`the turn is reported as ${ends[1] ?? 'nothing'}`);
  return ends[2] === 'ended' ? works(continuedBy[how] ?? how) : fault(`after the restart: ${short(errorOf(events))}`);
}

const choices = z.looseObject({
  id: z.optional(z.string()),
  category: z.optional(z.nullable(z.string())),
  currentValue: z.catch(z.optional(z.string()), undefined),
  options: z.optional(
    z.array(z.looseObject({ value: z.optional(z.string()), options: z.optional(z.array(z.looseObject({ value: z.string() }))) })),
  ),
});
const modesSchema = z.looseObject({ currentModeId: z.string(), availableModes: z.array(z.looseObject({ id: z.string() })) });

interface Choice {
  readonly values: readonly string[];
  readonly current: string | undefined;
}

/** Returns what the agent offers, among its options, which may arrive later, or as its modes. */
function choiceIn(session: ReturnType<typeof only<'session'>>[number], events: readonly EventLine[], category: 'mode' | 'model'): Choice {
  const later = updates(events, 'config_option_update').at(-1)?.['configOptions'];
  const all = (Array.isArray(later) ? later : session.configOptions)
    .map((one) => choices.parse(one))
    .filter((one) => one.category === category);
  const option = all.find(({ id }) => id === category) ?? all[0];
  const modes = category === 'mode' && session.modes !== undefined ? modesSchema.parse(session.modes) : undefined;
  const values =
    option?.options?.flatMap(({ value, options = [] }) => (value === undefined ? options.map((one) => one.value) : [value])) ??
    modes?.availableModes.map(({ id }) => id) ??
    [];
  return { values, current: option?.currentValue ?? modes?.currentModeId };
}

/** Chooses a different value than the current one. */
/** The models of the agent's own provider, which some offer as well, do not answer. */
const isScripted = (model: string): boolean => model.includes('mock');

async function choose(trial: Trial, category: 'mode' | 'model'): Promise<Verdict> {
  const first = await trial.run([], 'text');
  const session = only(first.events, 'session')[0];
  if (session === undefined) return failed(first);
  const { values, current } = choiceIn(session, first.events, category);
  if (values.length === 0) return byAgent('offers none');
  const others = values.filter((value) => value !== current).sort((a, b) => Number(isScripted(b)) - Number(isScripted(a)));
  if (others.length === 0) return byAgent('offers only one');
  const refusals: string[] = [];
  for (const other of others) {
    const run = await trial.run([`--${category}`, other], 'text');
    if (run.code === 0) return works();
    refusals.push(`${other}: ${short(errorOf(run.events))}`);
  }
  return fault(refusals.join('; '));
}
