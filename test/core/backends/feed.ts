/** Tests the mapping alone: one session of an agent, to which updates are passed as they would arrive. */
import assert from 'node:assert/strict';
import { standardQuirks } from '../../../src/core/agents/standardQuirks.js';
import type { BackendSession, OpenRequest, ResumeMethod } from '../../../src/core/backends/agentBackend.js';
import { plainInfo } from '../../../src/core/backends/agentInput.js';
import { AcpSessions } from '../../../src/core/backends/acp/acpSessions.js';
import { toHostError } from '../../../src/core/base/errors.js';
import { AcpSession } from '../../../src/core/backends/acp/acpSession.js';
import { type MappedPermission, mapPermission } from '../../../src/core/backends/acp/features/permission.js';
import type { AcpQuirks } from '../../../src/core/agents/acpQuirks.js';
import { parsePermissionRequest } from '../../../src/core/backends/acp/schema/requests.js';
import type { SessionEvent } from '../../../src/core/session/event.js';
import type { SessionState, ToolItem } from '../../../src/core/session/model.js';
import { emptySession, reduceAll } from '../../../src/core/session/reducer.js';
import { nullLogger } from '../../../src/core/base/logger.js';
import { callsOf, type ScriptedPeer, scriptedPeer } from './scriptedPeer.js';

type Fields = Readonly<Record<string, unknown>>;

export interface Fed {
  readonly session: AcpSession;
  readonly events: readonly SessionEvent[];
  turn(turnId: string, prompt?: string): void;
  endTurn(): Promise<void>;
  update(sessionUpdate: string, fields: Fields): void;
  tool(sessionUpdate: 'tool_call' | 'tool_call_update', toolCallId: string, fields?: Fields): void;
  ask(toolCall: Fields, optionKinds?: readonly string[]): MappedPermission;
  state(): SessionState;
  tools(): readonly ToolItem[];
  /** Role and text of each message. */
  messages(): readonly (readonly [string, string])[];
}

/** An agent that reports no capabilities. */
export const agentInfo = plainInfo({ agent: { label: 'agent' } });

export function feed(quirks: AcpQuirks, cwd = '/workspace'): Fed {
  const events: SessionEvent[] = [];
  let now = 1;
  let turn = '';
  let running: Promise<unknown> = Promise.resolve();
  const wire = scriptedPeer();
  const tell = (event: SessionEvent): void => void events.push(event);
  const session = new AcpSession(
    's',
    { cwd, sink: { begin: () => {}, history: tell, event: tell }, isReplaying: false },
    {
      calls: callsOf(wire, { quirks }),
      info: agentInfo,
      quirks,
      clock: { now: () => ++now },
      log: nullLogger,
      report: (problem) => {
        throw new Error(problem);
      },
      onClosed: () => {},
      subagents: { report: () => {}, link: () => {}, stop: () => {}, end: () => {} },
      isClosable: false,
      steers: undefined,
    },
  );
  const state = (): SessionState => reduceAll(emptySession('s', cwd, 0), events);
  const update = (sessionUpdate: string, fields: Fields): void => session.receive({ sessionUpdate, ...fields });
  return {
    session,
    events,
    state,
    update,
    turn(turnId, prompt = '') {
      turn = turnId;
      const content = [{ type: 'text' as const, text: prompt }];
      events.push({ type: 'turn_started', at: ++now, turnId, content });
      running = session.prompt(turnId, content, 'turn');
    },
    async endTurn() {
      wire.take('session/prompt').answer({ stopReason: 'end_turn' });
      await running;
      events.push({ type: 'turn_ended', at: ++now, turnId: turn, outcome: { type: 'ended', stopReason: 'end_turn', silent: false } });
    },
    tool: (sessionUpdate, toolCallId, fields = {}) => update(sessionUpdate, { toolCallId, ...fields }),
    ask(toolCall, kinds = ['allow_once']) {
      const request = parsePermissionRequest({
        sessionId: 's',
        toolCall,
        options: kinds.map((kind) => ({ optionId: kind, name: kind, kind })),
      });
      if (request === undefined) throw new Error('The test asks for nothing.');
      const mapped = mapPermission(session.map, request, ++now);
      for (const event of mapped.events) session.emit(event);
      return mapped;
    },
    tools: () => state().items.flatMap((item) => (item.kind === 'tool' ? [item] : [])),
    messages: () =>
      state().items.flatMap((item) =>
        item.kind === 'message'
          ? [[item.role, item.content.map((block) => (block.type === 'text' ? block.text : '')).join('')] as const]
          : [],
      ),
  };
}

export const text = (value: string): Fields => ({ content: { type: 'text', text: value } });
export const output = (value: string): Fields => ({ content: [{ type: 'content', content: { type: 'text', text: value } }] });
export const diff = (path: string, oldText: string | null, newText: string): Fields => ({ type: 'diff', path, oldText, newText });

/** A pending `open`. `told` has what its sink received, and how it ended. */
export interface FedOpening {
  readonly told: string[];
  session(): BackendSession;
  answer(result: Fields): Promise<void>;
  fail(error: unknown): Promise<void>;
}

export interface FedSessions {
  readonly sessions: AcpSessions;
  readonly wire: ScriptedPeer;
  readonly problems: string[];
  /** Those of `problems` that the user is told of. */
  readonly lost: string[];
  readonly events: SessionEvent[];
  open(request?: OpenRequest): FedOpening;
  say(sessionId: string, words: string): void;
  update(sessionId: string, update: Fields): void;
}

/** The sessions of one connection, without a process. */
export function fedSessions(quirks: AcpQuirks = standardQuirks, resumeMethods: readonly ResumeMethod[] = ['load', 'resume']): FedSessions {
  const wire = scriptedPeer();
  const problems: string[] = [];
  const lost: string[] = [];
  const events: SessionEvent[] = [];
  let now = 1;
  const sessions = new AcpSessions({
    calls: callsOf(wire, { quirks }),
    info: agentInfo,
    quirks,
    resumeMethods,
    clock: { now: () => ++now },
    log: nullLogger,
    isClosable: true,
    steers: undefined,
    takesOtherFolders: false,
    report(problem, isLost) {
      problems.push(problem);
      if (isLost === true) lost.push(problem);
    },
  });
  const update = (sessionId: string, sent: Fields): void => sessions.receive(sessionId, sent);
  return {
    sessions,
    wire,
    problems,
    lost,
    events,
    update,
    say: (sessionId, words) => update(sessionId, { sessionUpdate: 'agent_message_chunk', ...text(words) }),
    open(request = { method: 'new', cwd: '/workspace', mcpServers: [] }) {
      const told: string[] = [];
      const before = wire.open.length;
      let session: BackendSession | undefined;
      const hear =
        (prefix: string) =>
        (event: SessionEvent): void => {
          events.push(event);
          told.push(`${prefix}${event.type === 'message' && event.content.type === 'text' ? event.content.text : event.type}`);
        };
      const done = sessions
        .open(request, {
          begin: (begun) => {
            session = begun;
            told.push(`begin ${begun.id}`);
          },
          history: hear('history '),
          event: hear(''),
        })
        .then(
          () => told.push('opened'),
          (error: unknown) => told.push(toHostError(error).code),
        );
      const call = wire.open.length > before ? wire.open.pop() : undefined;
      return {
        told,
        session: () => session ?? assert.fail('no session'),
        async answer(result) {
          call?.answer(result);
          await done;
        },
        async fail(error) {
          call?.fail(error);
          await done;
        },
      };
    },
  };
}
