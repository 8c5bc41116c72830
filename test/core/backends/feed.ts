/** The mapping alone: one session of an agent, fed with updates as they come from the wire. */
import { AcpSession } from '../../../src/core/backends/acp/acpSession.js';
import { mapPermission, type MappedPermission } from '../../../src/core/backends/acp/permission.js';
import type { AcpQuirks } from '../../../src/core/agents/acpQuirks.js';
import { parsePermissionRequest } from '../../../src/core/backends/acp/schema/requests.js';
import type { SessionEvent } from '../../../src/core/session/event.js';
import type { SessionState, ToolItem } from '../../../src/core/session/model.js';
import { emptySession, reduceAll } from '../../../src/core/session/reducer.js';

type Fields = Readonly<Record<string, unknown>>;

export interface Fed {
  readonly session: AcpSession;
  readonly events: readonly SessionEvent[];
  turn(turnId: string, prompt?: string): void;
  endTurn(): void;
  update(sessionUpdate: string, fields: Fields): void;
  tool(sessionUpdate: 'tool_call' | 'tool_call_update', toolCallId: string, fields?: Fields): void;
  ask(toolCall: Fields, optionKinds?: readonly string[]): MappedPermission;
  state(): SessionState;
  tools(): readonly ToolItem[];
  /** Role and text of each message. */
  messages(): readonly (readonly [string, string])[];
}

export function feed(quirks: AcpQuirks, cwd = '/workspace'): Fed {
  const events: SessionEvent[] = [];
  let now = 0;
  let turn = '';
  const session = new AcpSession({
    sessionId: 's',
    cwd,
    quirks,
    clock: { now: () => ++now },
    onProblem: (problem) => {
      throw new Error(problem);
    },
    fire: (event) => void (event.type === 'event' && events.push(event.event)),
  });
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
      void session.beginTurn(turnId, content);
    },
    endTurn() {
      session.endTurn();
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
