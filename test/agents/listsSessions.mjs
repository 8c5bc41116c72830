/**
 * Lists the sessions of `sessions.json` in its folder, and opens, renames and deletes them. LIST is what is wrong with the list:
 * "repeats" the same page for ever, "endless" pages, "huge" with 10,000 entries, "malformed" entries, "null" or "text" instead of a list,
 * "slow" at the second page, "large" with 560 KB beside each entry, "lies" about the folders, "many" with 45 entries, or "none" at all.
 * `resume` in OPENS: it opens a session without its history. `once` in LIST_FAILS: the second list is an error;
 * `signedOut`: it needs a sign-in. `open` in FORKS: it can't close a session, nor forget that it has it open;
 * `unsaved`: nor does it save a fork before a prompt, so that it can't load one.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { serve, update } from './wire.mjs';

const how = process.env.LIST;
const file = 'sessions.json';
const cwd = process.cwd();
/** The number of calls for a list. */
let listed = 0;

function saved() {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return [
      { sessionId: 's1', title: 'One', updatedAt: '2026-11-01T10:00:00Z' },
      { sessionId: 's2', updatedAt: '2026-11-02T10:00:00Z' },
      { sessionId: 's3', title: 'Three', updatedAt: 'yesterday' },
    ];
  }
}
const save = (sessions) => writeFileSync(file, JSON.stringify(sessions));
const known = (sessionId) => {
  const found = saved().find((one) => one.sessionId === sessionId);
  if (found === undefined) throw { code: -32002, message: 'No such session' };
  return found;
};
const chunk = (sessionId, role, text) => update(sessionId, { sessionUpdate: `${role}_message_chunk`, content: { type: 'text', text } });
const entries = () => saved().map((one) => ({ cwd, ...one }));
const page = (count, first) =>
  Array.from({ length: count }, (_, index) => ({ sessionId: `n${first + index}`, cwd, title: `${first + index}` }));

const lists = {
  repeats: () => ({ sessions: entries(), nextCursor: 'again' }),
  endless: ({ cursor = '0' }) => ({ sessions: page(1, Number(cursor)), nextCursor: `${Number(cursor) + 1}` }),
  huge: () => ({ sessions: page(10_000, 0) }),
  malformed: () => ({
    sessions: [
      ...entries(),
      null,
      7,
      {},
      { sessionId: 5, cwd },
      { sessionId: 'x' },
      { sessionId: 'y', cwd: 'relative' },
      { sessionId: 'z'.repeat(10_000), cwd },
      { sessionId: 's1', cwd },
    ],
    nextCursor: 7,
  }),
  null: () => ({ sessions: null, nextCursor: null }),
  text: () => ({ sessions: 'none' }),
  slow: ({ cursor }) => (cursor === undefined ? { sessions: entries(), nextCursor: 'more' } : new Promise(() => {})),
  large: () => ({ sessions: entries().map((one) => ({ ...one, _meta: { text: 'x'.repeat(560 * 1024) } })) }),
  many: () => ({ sessions: page(45, 0) }),
  lies: () => ({ sessions: [...entries(), { sessionId: 'other', cwd: '/elsewhere' }] }),
};

serve({
  initialize: () => ({
    protocolVersion: 1,
    agentInfo: { name: 'lists', version: '1.0.0' },
    agentCapabilities: {
      loadSession: process.env.OPENS !== 'resume',
      sessionCapabilities: {
        resume: {},
        delete: {},
        title: {},
        fork: {},
        ...(['open', 'unsaved'].includes(process.env.FORKS) ? {} : { close: {} }),
        ...(how === 'none' ? {} : { list: {} }),
      },
    },
    authMethods: [],
  }),
  'session/list': (params) => {
    const isSecond = params.cursor === undefined && listed++ === 1;
    if (process.env.LIST_FAILS === 'once' && isSecond) throw { code: -32603, message: 'The disk is full' };
    if (process.env.LIST_FAILS === 'signedOut' && isSecond) throw { code: -32000, message: 'Authentication required' };
    const list = lists[how];
    if (list !== undefined) return list(params);
    // Three pages, whose cursors mean nothing to anyone else.
    const all = entries().filter((one) => params.cwd === undefined || one.cwd === params.cwd);
    const first = params.cursor === undefined ? 0 : Number(params.cursor.slice('page of '.length));
    return { sessions: all.slice(first, first + 1), ...(first + 1 < all.length ? { nextCursor: `page of ${first + 1}` } : {}) };
  },
  'session/delete': ({ sessionId }) => {
    known(sessionId);
    save(saved().filter((one) => one.sessionId !== sessionId));
    return {};
  },
  'session/set_title': ({ sessionId, title }) => {
    known(sessionId);
    save(saved().map((one) => (one.sessionId === sessionId ? { ...one, title } : one)));
    return { title };
  },
  'session/new': () => {
    const sessionId = `new${saved().length}`;
    save([...saved(), { sessionId }]);
    return { sessionId };
  },
  'session/fork': ({ sessionId }) => {
    const { title } = known(sessionId);
    const fork = `fork of ${sessionId}`;
    if (process.env.FORKS !== 'unsaved') save([...saved(), { sessionId: fork, title: `${title}, forked` }]);
    return { sessionId: fork };
  },
  'session/close': () => ({}),
  'session/load': ({ sessionId }) => {
    known(sessionId);
    chunk(sessionId, 'user', `asked in ${sessionId}`);
    chunk(sessionId, 'agent', `answered in ${sessionId}`);
    return {};
  },
  'session/resume': ({ sessionId }) => {
    known(sessionId);
    return {};
  },
  'session/prompt': ({ sessionId }) => {
    chunk(sessionId, 'agent', 'done');
    return { stopReason: 'end_turn' };
  },
});
