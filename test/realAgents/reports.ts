/** What happens in a turn besides its answer: what the user adds, the plan, and sub-agents. */
import type { EventLine } from '../../src/cli/output/eventSchema.js';
import { answerOf, errorOf, only, updates } from './events.js';
import { files, said } from './model/script.js';
import { endedWell, failed, short } from './outcome.js';
import { converse, finish, turnEnds, until } from './talk.js';
import type { Message } from './traffic.js';
import type { Trial } from './trial.js';
import { byAgent, fault, type Verdict, works } from './verdict.js';

const allow = ['--permission', 'allow'];

/** The agent is told something while a command runs, and its model answers that. */
export async function steered(trial: Trial): Promise<Verdict> {
  const cli = trial.chat(allow);
  cli.writeLine({ prompt: trial.prompt('steered') });
  await Promise.race([trial.appears(files.started), turnEnds(cli, 1)]);
  const watch = await trial.watch();
  cli.writeLine({ prompt: trial.prompt('text'), delivery: 'steer' });
  const isSettled = (events: readonly EventLine[]): boolean => only(events, 'error').length > 0 || only(events, 'queue').length > 0;
  await Promise.race([watch.until(isTold), until(cli, 'a refusal, or a place in the queue', isSettled)]);
  await trial.write(files.go, '');
  await turnEnds(cli, 1);
  watch.dispose();
  const events = await finish(cli);
  const error = only(events, 'error')[0];
  if (error !== undefined) return error.code === 'unsupported' ? byAgent('cannot be steered') : fault(short(errorOf(events)));
  const turns = only(events, 'turn').filter(({ phase }) => phase === 'start').length;
  if (!answerOf(events).includes(said.text)) return fault(`the agent was not told: ${short(answerOf(events))}`);
  return turns === 1 ? works() : byAgent(`answers it in turn ${turns}`);
}

/** Whether the agent has answered a request that came after the prompt. */
function isTold(messages: readonly Message[]): boolean {
  const prompt = messages.findIndex(({ method }) => method === 'session/prompt');
  const later = messages.slice(prompt + 1);
  const asked = later.filter(({ direction, method }) => direction === 'sent' && method !== undefined).map(({ id }) => id);
  return later.some(({ direction, method, id }) => direction === 'received' && method === undefined && asked.includes(id));
}

export async function plans(trial: Trial): Promise<Verdict> {
  const run = await trial.run(allow, 'task');
  if (!endedWell(run)) return failed(run);
  if (answerOf(run.events).includes(said.noPlan)) return byAgent('has no tool for plans');
  const reported = JSON.stringify([...updates(run.events, 'plan'), ...updates(run.events, 'plan_update')]);
  return reported.includes(said.task) ? works() : byAgent('does not report its plan');
}

/** A sub-agent, which may go on after the turn that started it: hence the second one. */
export async function delegates(trial: Trial): Promise<Verdict> {
  const run = await converse(trial, allow, 'subagent', 'text');
  if (!endedWell(run)) return failed(run);
  if (answerOf(run.events).includes(said.noSubagents)) return byAgent('has no tool for sub-agents');
  const children = updates(run.events, 'subagent_update').map((update) => update['sessionId']);
  if (children.length === 0) return byAgent('does not tell of its sub-agents');
  const isShown = only(run.events, 'update').some(({ subagent }) => children.includes(subagent));
  return works(isShown ? undefined : 'without what they do');
}
