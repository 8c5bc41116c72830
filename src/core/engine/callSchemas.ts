/**
 * What a front end may ask of the engine, parsed where it arrives: the front end may be of another version. Members that are not known here
 * are dropped.
 */
import * as z from 'zod/mini';
import { HostError } from '../base/errors.js';
import type { ConversationCommand } from '../conversation/commands.js';
import type { ConversationListCommand } from '../conversation/conversationList.js';
import { holdReasons } from '../conversation/state.js';
import { promptBlock } from '../journal/eventSchema.js';
import { frontEndPrograms } from '../session/event.js';
import { closeReasons, type UserAnswer } from '../session/userRequest.js';
import { chipSchema } from '../store/unsentMemory.js';
import type { EngineCalls } from './contract.js';

const may = z.exactOptional;
const maybeText = z.optional(z.string());
const text = z.string();
/** What to record of the changes in a folder. It is also in a file of the state folder. */
export const recordingSchema = z.object({ limitBytes: z.number(), exclude: z.array(text) });
/** Identifies a conversation. It names files, so that it must be no path. */
const id = text.check(z.regex(/^[\w-]{1,128}$/));
const ids = z.array(z.string());
const flag = z.boolean();
const nothing = z.object({});

const content = z.array(promptBlock);
const fieldValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);
const why = may(z.enum(closeReasons));
const answer: z.ZodMiniType<UserAnswer> = z.discriminatedUnion('type', [
  z.object({ type: z.literal('accept'), values: z.record(z.string(), fieldValue), why }),
  z.object({ type: z.literal('decline') }),
  z.object({ type: z.literal('cancel'), why }),
]);
const session = z.object({ agentId: z.string(), sessionId: z.string() });
const wish = z.union([
  z.object({ value: z.string(), category: z.enum(['mode', 'model']) }),
  z.object({ value: z.string(), id: z.string() }),
]);

const conversationCommand: z.ZodMiniType<ConversationCommand> = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('send'),
    id: may(id),
    content,
    order: may(z.enum(['next', 'after_held'])),
    before: may(text),
    delivery: may(z.enum(['steer', 'followUp'])),
  }),
  z.object({ type: z.literal('release_held'), why: may(z.enum(holdReasons)), ids: may(ids) }),
  z.object({ type: z.enum(['retry_turn', 'edit_turn']), turnId: text }),
  z.object({ type: z.literal('resend_interrupted'), content: may(content) }),
  z.object({ type: z.literal('move_queued'), promptId: text, before: may(text) }),
  z.object({ type: z.literal('send_queued'), promptId: text, turnId: may(text) }),
  z.object({ type: z.literal('unqueue'), promptId: text }),
  z.object({ type: z.literal('stop_command'), itemId: text }),
  z.object({ type: z.literal('write_draft'), text: z.string() }),
  z.object({ type: z.literal('add_chip'), chip: chipSchema }),
  z.object({ type: z.literal('remove_chips'), ids }),
  z.object({ type: z.literal('take_returned'), promptIds: ids }),
  z.object({ type: z.literal('cancel'), scope: z.enum(['turn', 'everything']) }),
  z.object({ type: z.literal('stop_subagent'), subagentId: z.string() }),
  z.object({ type: z.literal('answer_request'), requestId: text, answer, feedback: may(text) }),
  z.object({ type: z.literal('set_option'), optionId: text, value: z.union([z.string(), flag]) }),
  z.object({ type: z.literal('choose_option'), wish }),
  z.object({ type: z.literal('review_changes'), ids, paths: may(ids) }),
  z.object({ type: z.literal('review_again'), set: text, path: text }),
  z.object({ type: z.literal('review_hunk'), set: text, path: text, hunk: text }),
  z.object({ type: z.enum(['continue_with_context', 'start_fresh']), waiting: z.enum(['hold', 'send']) }),
  z.object({ type: z.literal('restart'), ifStarted: may(flag) }),
  z.object({ type: z.literal('change_agent'), agentId: may(z.string()) }),
  z.object({ type: z.literal('sign_in'), methodId: text }),
  z.object({
    type: z.enum(['open', 'retry', 'retry_now', 'force_stop', 'clear_context', 'refresh_agent', 'cancel_sign_in', 'sign_out']),
  }),
]);

const listCommand: z.ZodMiniType<ConversationListCommand> = z.discriminatedUnion('type', [
  z.object({ type: z.literal('rename'), id, title: z.string() }),
  z.object({ type: z.literal('pin'), id, isPinned: flag }),
  z.object({ type: z.literal('archive'), id, isArchived: flag }),
  z.object({ type: z.literal('leave_out_open_file'), id, leavesOut: flag }),
  z.object({ type: z.literal('branch'), id, turnId: text }),
  z.object({ type: z.enum(['delete', 'restore']), id }),
]);

const schemas: { readonly [M in keyof EngineCalls]: z.ZodMiniType<EngineCalls[M]['params']> } = {
  attach: z.object({
    program: z.enum(frontEndPrograms),
    id: may(text),
    use: z.enum(['share', 'once', 'look']),
    keepAliveMs: may(z.number()),
    recording: may(recordingSchema),
  }),
  summary: nothing,
  open: z.object({ id, cwd: z.string(), agentId: maybeText, session: z.optional(session) }),
  find: session,
  release: z.object({ id }),
  end: z.object({ id }),
  see: z.object({ ids: z.array(id) }),
  resync: z.object({ channel: z.string() }),
  execute: z.object({ id, command: conversationCommand }),
  execute_list: z.object({ command: listCommand }),
  saved: nothing,
  search: z.object({ text: z.string(), ids: z.array(id) }),
  agent_sessions: z.object({ cwd: z.string(), agentId: maybeText, scope: z.enum(['folder', 'everywhere']) }),
  change_agent_session: z.object({
    cwd: z.string(),
    agentId: maybeText,
    sessionId: z.string(),
    change: z.discriminatedUnion('type', [
      z.object({ type: z.literal('delete') }),
      z.object({ type: z.literal('rename'), title: z.string() }),
      z.object({ type: z.literal('fork') }),
    ]),
  }),
  remember_folder: z.object({
    path: z.string(),
    facts: z.object({ shown: z.optional(z.string()), shownAt: may(z.number()), agentId: maybeText, mayActUnasked: may(flag) }),
  }),
  read_traffic: z.object({ process: z.number(), after: may(z.number()), limit: may(z.number()) }),
  diagnostics: z.object({ process: z.number() }),
  stderr_line: z.object({ id }),
  changed_files: z.object({ id, set: id }),
  changed_content: z.object({ id, set: id, path: text, side: z.enum(['before', 'after']) }),
  changes_patch: z.object({ id, sets: z.array(id) }),
  undo_changes: z.object({ id, sets: z.array(id), paths: may(ids) }),
  is_changed: z.object({ cwd: z.string(), path: text }),
  line_origin: z.object({ cwd: z.string(), path: text, line: z.number(), text: z.string() }),
  note_saved: z.object({ paths: ids }),
  leave: nothing,
  stop_engine: nothing,
};

/** @throws HostError `unsupported` for a call or a command that this version does not know or understand */
export function parseCall<M extends keyof EngineCalls>(method: M, params: unknown): EngineCalls[M]['params'] {
  if (!Object.hasOwn(schemas, method)) throw new HostError('unsupported', { detail: String(method) });
  const parsed = schemas[method].safeParse(params);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = [method, ...(issue?.path ?? [])].join('.');
  throw new HostError('unsupported', { detail: `${where}: ${issue?.message ?? ''}` });
}
