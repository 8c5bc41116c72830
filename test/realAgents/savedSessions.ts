/** Sessions that an agent has saved: its list, forks of them, and conversations that go back to an earlier message. */
import * as z from 'zod/mini';
import { type CommandResult, type ConversationClient, HostError, isSettled, toHostError } from '../../src/core/index.js';
import { reached, run as execute, said as linesOf, text, turnsOf } from '../core/conversation/frontEnd.js';
import { within } from '../real/deadline.js';
import { only } from './events.js';
import { said } from './model/script.js';
import { failed, recalled, short } from './outcome.js';
import type { Trial } from './trial.js';
import { byAgent, fault, type Verdict, works } from './verdict.js';

const abilities = z.looseObject({
  sessionCapabilities: z.optional(z.nullable(z.looseObject({ list: z.optional(z.unknown()) }))),
});
const listSchema = z.looseObject({ ofAgent: z.looseObject({ sessions: z.array(z.looseObject({ id: z.string() })) }) });

/** A session that began elsewhere is listed, and can be resumed. */
export async function listed(trial: Trial): Promise<Verdict> {
  const before = await trial.run(['--state', trial.elsewhere], 'text');
  const [session] = only(before.events, 'session');
  if (session === undefined) return failed(before);
  const list = await trial.command(['sessions', '--format', 'json']);
  if (abilities.parse(session.capabilities).sessionCapabilities?.list == null)
    return list.code === 0 ? fault('a list without the capability') : byAgent('does not list its sessions');
  if (list.code !== 0) return fault(`exit ${list.code}: ${short(list.stdout + list.stderr)}`);
  const { sessions } = listSchema.parse(JSON.parse(list.stdout)).ofAgent;
  if (!sessions.some(({ id }) => id === session.sessionId)) return fault(`the session is not among the ${sessions.length} of its list`);
  const resumed = await trial.run(['--session', session.sessionId], 'recall');
  return recalled(resumed.events, 2);
}

async function say(conversation: ConversationClient, words: string): Promise<void> {
  await execute(conversation, { type: 'send', content: text(words) });
  await within(reached(conversation, isSettled), 'end of the turn', () => linesOf(conversation.state).join('; '));
}

/** The agent forks a session, which knows what was said before. */
export async function forked(trial: Trial): Promise<Verdict> {
  const { client, agentId } = await trial.openEngine();
  const conversation = client.open({ cwd: trial.cwd });
  await say(conversation, trial.prompt('text'));
  const { sessionId = '' } = conversation.state.session ?? {};
  const fork = { cwd: trial.cwd, agentId, sessionId, change: { type: 'fork' } } as const;
  const result = await client.call('change_agent_session', fork).catch((error: unknown) => toHostError(error));
  if (result instanceof HostError) return result.code === 'unsupported' ? byAgent('does not fork its sessions') : fault(result.message);
  if (result.forked === undefined) return fault('no session was forked');
  const other = client.open({ cwd: trial.cwd, session: { agentId, sessionId: result.forked } });
  await say(other, trial.prompt('recall'));
  const answer = linesOf(other.state).join('; ');
  return answer.includes(said.recall(2)) ? works() : fault(`the fork forgot: ${short(answer)}`);
}

/** The conversation goes back to the second of three messages: the agent knows the first one, and no other. */
export async function rewound(trial: Trial): Promise<Verdict> {
  const { client } = await trial.openEngine();
  const conversation = client.open({ cwd: trial.cwd });
  for (const name of ['text', 'thinking', 'text']) await say(conversation, trial.prompt(name));
  const turnId = turnsOf(conversation.state)[1] ?? '';
  const branched: CommandResult = await client.list.execute({ type: 'branch', id: conversation.state.id, turnId });
  if (!branched.ok) return fault(`no branch: ${branched.error.code}`);
  const branch = client.open({ cwd: trial.cwd, id: branched.ids?.[0] });
  await within(
    reached(branch, ({ isRestored }) => isRestored),
    'state of the branch',
  );
  await say(branch, trial.prompt('recall'));
  // Agents also ask their model for a title, without the history.
  const told = trial.model.requests
    .map(({ messages }) => messages.map((one) => one.text).join('\n'))
    .filter((words) => words.includes(trial.prompt('recall')));
  if (!told.some((words) => words.includes(said.text))) return fault(`the agent forgot: ${short(linesOf(branch.state).join('; '))}`);
  if (told.some((words) => words.includes(trial.prompt('thinking')))) return fault('the agent knows what was said later');
  return works(branch.state.openedBy === 'forked' ? 'in a session that the agent forks' : 'in a new session that gets the history');
}
