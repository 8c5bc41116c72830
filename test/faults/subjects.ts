/** The agents to which faults are applied, one per backend. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { AgentDefinition } from '../../src/core/agents/agentDefinition.js';
import { selectOption, type UserAnswer } from '../../src/core/session/userRequest.js';
import { type StandIn, startStandIn } from '../standIns/startStandIn.js';
import type { Moment } from './table.js';

export interface Prepared {
  readonly agent: AgentDefinition;
  /** Applies the fault while the agent is idle. Agents that have the fault themselves do not need it. */
  strikeAtRest?(): void | Promise<void>;
  /** Starts the server again that was gone. */
  comeBack?(): Promise<void>;
  /** Resolves when the server has no connections left. */
  noneLeft?(): Promise<void>;
  end?(): Promise<void>;
}

export interface Subject {
  readonly name: string;
  /** What is shown, at least, of the turns `hello` and `wait` if only the user can end the fault; `waiting` is that of `wait` before the cancel. */
  readonly halfway: string;
  readonly waiting: string;
  readonly stopping: string;
  readonly no: UserAnswer;
  /** What the turn `again` shows, without the lines that only the first turn of a session shows. */
  readonly again: readonly string[];
  readonly saidOnce: readonly string[];
  prepare(fault: string, moment: Moment, folder: string): Promise<Prepared>;
}

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const preload = (file: string): string => pathToFileURL(here(file)).href;
const again = ['user: again', 'agent: again', 'end end_turn'];

export const acp: Subject = {
  name: 'acp',
  halfway: 'agent: half',
  waiting: 'agent: waiting',
  stopping: 'agent: waiting stopping',
  no: selectOption('no'),
  again: ['user: again', 'agent: half whole', 'end end_turn'],
  saidOnce: [],
  prepare: async (fault, moment) => ({
    agent: {
      id: fault,
      label: fault,
      command: process.execPath,
      args: [here(`../agents/faults/${fault}.mjs`)],
      env: { FAULT_AT: moment },
      protocol: 'acp',
    },
  }),
};

export const pi: Subject = {
  name: 'pi',
  halfway: 'agent: h',
  waiting: 'agent: waiting',
  stopping: 'agent: waiting',
  no: { type: 'decline' },
  again,
  saidOnce: [],
  prepare: async (fault, moment, folder) => ({
    agent: {
      id: 'pi',
      label: 'Pi',
      protocol: 'pi',
      command: process.execPath,
      args: ['--import', preload('./strikePi.mjs'), here('../standIns/piStandIn.mjs'), '--sessions', join(folder, 'sessions')],
      env: { FAULT: fault, FAULT_AT: moment },
    },
    strikeAtRest: async () => {
      const pids = await readFile(join(folder, 'pids'), 'utf8');
      process.kill(Number(pids.trim().split('\n').at(-1)), 'SIGUSR2');
    },
  }),
};

function server(subject: Omit<Subject, 'prepare' | 'again'>, protocol: string, standIn: string, args: readonly string[]): Subject {
  return {
    ...subject,
    again,
    async prepare(fault, moment, folder) {
      const ends: (() => unknown)[] = [];
      const owner = { after: (end: () => unknown) => void ends.push(end) };
      const options = { preload: preload('./strikeServer.mjs'), cwd: folder, env: { FAULT: fault, FAULT_AT: moment } };
      const start = (more: readonly string[]): Promise<StandIn> => startStandIn(owner, standIn, [...args, ...more], options);
      let running = await start([]);
      const { url } = running;
      return {
        agent: { id: protocol, label: subject.name, protocol, url },
        strikeAtRest: () => running.signal('SIGUSR2'),
        async comeBack() {
          if (fault === 'frozen') await running.suspended();
          running.signal('SIGCONT');
          if (fault === 'killed') running = await start(['--port', new URL(url).port]);
        },
        async noneLeft() {
          running.signal('SIGCONT');
          const count = (name: string): number => running.notes.all.filter(({ event }) => event === name).length;
          await running.notes.until('end of every connection', () => count('gone') === count('accepted'));
        },
        end: async () => void (await Promise.all(ends.map((end) => end()))),
      };
    },
  };
}

export const agentCli = server(
  {
    name: 'agent-cli',
    saidOnce: ['notice server_unauthenticated'],
    halfway: 'agent: hel',
    waiting: 'agent: hanging',
    stopping: 'agent: hanging',
    no: selectOption('reject'),
  },
  'agent-cli',
  'agentCli',
  ['--documented'],
);

export const agentService = server(
  {
    name: 'agent-service',
    saidOnce: ['notice agent_keeps_no_context'],
    halfway: 'notice agent_keeps_no_context',
    waiting: 'user: wait',
    stopping: 'user: wait',
    no: selectOption('no'),
  },
  'agent-service',
  'agentService',
  [],
);
