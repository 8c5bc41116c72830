/**
 * Forks its sessions, which it remembers across processes. `recall` makes it name the prompts that a session knows; it repeats any other one.
 * FORKS: "message" under the name of an agent that forks at a message, "end" only at the end, or "fails".
 * It replays the history of a fork, before the answer and after it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { serve, update } from './wire.mjs';

const how = process.env.FORKS;
const file = 'sessions.json';

/** By session: the prompts, each with the id of the message that answered it. */
function remembered() {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}

function remember(sessionId, turns) {
  writeFileSync(file, JSON.stringify({ ...remembered(), [sessionId]: turns }));
}

const known = (sessionId) => {
  const turns = remembered()[sessionId];
  if (turns === undefined) throw { code: -32002, message: 'No such session' };
  return turns;
};

const chunk = (sessionId, role, text, messageId) =>
  update(sessionId, { sessionUpdate: `${role}_message_chunk`, content: { type: 'text', text }, messageId });

const replay = (sessionId, turns) => {
  for (const { prompt, messageId } of turns) {
    chunk(sessionId, 'user', prompt);
    chunk(sessionId, 'agent', `old ${prompt}`, messageId);
  }
};

const create = (turns) => {
  const sessionId = `f${Object.keys(remembered()).length + 1}`;
  remember(sessionId, turns);
  return sessionId;
};

serve({
  initialize: () => ({
    protocolVersion: 1,
    agentInfo: how === 'message' ? { name: 'claude-agent-acp', version: '0.101.0' } : { name: 'forks', version: '1.0.0' },
    agentCapabilities: { loadSession: true, sessionCapabilities: { fork: {} } },
    authMethods: [],
  }),
  'session/new': () => ({ sessionId: create([]) }),
  'session/load': ({ sessionId }) => {
    replay(sessionId, known(sessionId));
    return {};
  },
  'session/fork': ({ sessionId, _meta }) => {
    const turns = known(sessionId);
    if (how === 'fails') throw { code: -32603, message: 'The file is broken' };
    const messageId = how === 'message' ? _meta?.jetbrains.air.fork.messageId : undefined;
    const end = messageId === undefined ? turns.length : turns.findIndex((turn) => turn.messageId === messageId) + 1;
    if (end === 0) throw { code: -32602, message: 'No such message' };
    const fork = create(turns.slice(0, end));
    replay(fork, turns.slice(0, 1));
    setTimeout(() => replay(fork, turns.slice(1, end)));
    return { sessionId: fork };
  },
  'session/prompt': ({ sessionId, prompt }) => {
    const { text } = prompt.at(-1);
    const turns = known(sessionId);
    const messageId = `m${Math.random()}`;
    // With the number of blocks, because a text of the host may precede the user's.
    const said = turns.map((turn) => turn.prompt).join(' ');
    chunk(sessionId, 'agent', text === 'recall' ? `${said} (${prompt.length})` : text, messageId);
    remember(sessionId, [...turns, { prompt: text, messageId }]);
    return { stopReason: 'end_turn' };
  },
});
