/** The allowed differences between an agent's updates and the projection of its events; any other difference is an error. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { AcpQuirks } from '../../../src/core/agents/acpQuirks.js';
import { isFields } from '../../../src/core/base/fields.js';

type Fields = Readonly<Record<string, unknown>>;
type Draft = Record<string, unknown>;

interface Context {
  readonly quirks: AcpQuirks;
  readonly cwd: string;
  /** The last reported kinds of tool calls, by `toolCallId`. */
  readonly kinds: Map<unknown, unknown>;
  /** Tool calls that have ended. */
  readonly ended: Set<unknown>;
  /** The last values of updates that are not repeated. */
  mode: unknown;
  options: unknown;
}

/** Removes one allowed difference from both sides. @returns whether there was one */
type Rule = (recorded: Draft, projected: Draft, context: Context) => boolean;

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
const isDiff = (part: unknown): part is Fields => isFields(part) && part['type'] === 'diff';
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The members of ACP v1 updates that the projection contains. The `name` of a tool call is not needed. */
const members: ReadonlySet<string> = new Set([
  ...['sessionUpdate', '_meta', 'content', 'messageId', 'entries', 'availableCommands', 'currentModeId', 'configOptions'],
  ...['toolCallId', 'title', 'kind', 'status', 'locations', 'rawInput', 'rawOutput', 'updatedAt', 'used', 'size', 'cost'],
  ...['severity', 'description', 'compactionId', 'summary', 'error'],
]);

const rules: Readonly<Record<string, Rule>> = {
  'members beyond those of ACP': (recorded) => {
    const beyond = Object.keys(recorded).filter((key) => !members.has(key));
    for (const key of beyond) delete recorded[key];
    return beyond.length > 0;
  },
  'null is absent': (recorded) => {
    const keys = Object.keys(recorded).filter((key) => recorded[key] === null);
    for (const key of keys) delete recorded[key];
    return keys.length > 0;
  },
  'no locations are none': (recorded, projected) => {
    if (!isEmptyList(recorded['locations']) || projected['locations'] !== undefined) return false;
    return delete recorded['locations'];
  },
  'a kind is told when it changes': (recorded, projected, { kinds }) => {
    const { kind, toolCallId } = recorded;
    const known = recorded['sessionUpdate'] === 'tool_call' ? 'other' : (kinds.get(toolCallId) ?? 'other');
    if (kind === undefined || projected['kind'] !== undefined || (kind !== known && kind !== 'other')) return false;
    return delete recorded['kind'];
  },
  'a kind by the name of the tool': (recorded, projected, { quirks }) => {
    const { kind = 'other', title } = recorded;
    if (projected['kind'] === undefined || projected['kind'] === kind || typeof title !== 'string') return false;
    if (quirks.toolKind(title, 'other') !== projected['kind'] || kind !== 'other') return false;
    delete recorded['kind'];
    return delete projected['kind'];
  },
  'locations from the input': (recorded, projected, { quirks, cwd }) => {
    if (recorded['locations'] !== undefined || projected['locations'] === undefined) return false;
    const named = quirks.pathsOf(recorded['rawInput']).map((place) => ({ path: path.resolve(cwd, place) }));
    return isDeepStrictEqual(named, projected['locations']) && delete projected['locations'];
  },
  'a diff made by the host': (recorded, projected, { quirks }) => {
    const [first, ...rest] = listOf(projected['content']);
    if (!isDiff(first) || listOf(recorded['content']).some(isDiff) || quirks.pathsOf({ file_path: 'x' }).length === 0) return false;
    if (rest.length === 0 && recorded['content'] === undefined) return delete projected['content'];
    projected['content'] = rest;
    return true;
  },
  'the terminal that it tells of': (recorded, projected) => {
    const meta = recorded['_meta'];
    if (recorded['content'] !== undefined || !isFields(meta) || !Object.keys(meta).some((key) => key.startsWith('terminal_'))) return false;
    return delete projected['content'];
  },
  'absolute paths of diffs': (recorded, _projected, { quirks, cwd }) => {
    const content = listOf(recorded['content']);
    if (!quirks.relativePaths || !content.some((part) => isDiff(part) && !path.isAbsolute(String(part['path'])))) return false;
    recorded['content'] = content.map((part) => (isDiff(part) ? { ...part, path: path.resolve(cwd, String(part['path'])) } : part));
    return true;
  },
  'a mode told in the older form, where an option is the mode': (recorded, projected) => {
    const mode = listOf(projected['configOptions']).find((option) => isFields(option) && option['category'] === 'mode');
    if (recorded['sessionUpdate'] !== 'current_mode_update' || !isFields(mode) || mode['currentValue'] !== recorded['currentModeId'])
      return false;
    delete recorded['currentModeId'];
    delete projected['configOptions'];
    return delete recorded['sessionUpdate'] && delete projected['sessionUpdate'];
  },
  'what has ended does not run again': (recorded, projected, { ended }) => {
    const { status, toolCallId } = recorded;
    if (!ended.has(toolCallId) || projected['status'] !== undefined || (status !== 'in_progress' && status !== 'pending')) return false;
    return delete recorded['status'];
  },
};

/** Updates that produce no event. */
const omissions: Readonly<Record<string, (recorded: Fields, context: Context, prompts: readonly string[]) => boolean>> = {
  'an echo of the prompt': ({ sessionUpdate, content }, _, prompts) =>
    sessionUpdate === 'user_message_chunk' && isFields(content) && prompts.some((prompt) => prompt.includes(String(content['text']))),
  'a thought that repeats the text': ({ sessionUpdate }, { quirks }) =>
    sessionUpdate === 'agent_thought_chunk' && quirks.repeatsTextAsThought,
  'a mode that holds already': ({ sessionUpdate, currentModeId }, { mode }) =>
    sessionUpdate === 'current_mode_update' && currentModeId === mode,
  'options that hold already': ({ sessionUpdate, configOptions }, { options }) =>
    sessionUpdate === 'config_option_update' && isDeepStrictEqual(configOptions, options),
};

export interface Comparison {
  readonly quirks: AcpQuirks;
  readonly cwd: string;
  /** The prompts of the user, which agents may echo. */
  readonly prompts: readonly string[];
  /** The state at the beginning of the session. */
  readonly mode: unknown;
  readonly options: unknown;
}

/** @returns how often each allowed difference occurred @throws for any other difference */
export function compareUpdates(
  recorded: readonly unknown[],
  projected: readonly unknown[],
  { quirks, cwd, prompts, mode, options }: Comparison,
): ReadonlyMap<string, number> {
  const context: Context = { quirks, cwd, kinds: new Map(), ended: new Set(), mode, options };
  const met = new Map<string, number>();
  const count = (names: readonly string[]): void => {
    for (const name of names) met.set(name, (met.get(name) ?? 0) + 1);
  };
  let next = 0;
  for (const update of recorded) {
    assert.ok(isFields(update));
    const told = projected[next];
    const names = isFields(told) ? explain(update, told, context) : undefined;
    if (names !== undefined && isFields(told)) {
      next++;
      count(names);
      remember(update, told, context);
      continue;
    }
    const omitted = Object.keys(omissions).filter((name) => omissions[name]?.(update, context, prompts));
    if (omitted.length === 0) assert.deepEqual(told, update, 'no allowed difference explains it');
    count(omitted);
  }
  assert.deepEqual(projected.slice(next), [], 'the agent said no more');
  return met;
}

function explain(update: Fields, told: Fields, context: Context): readonly string[] | undefined {
  const [recorded, projected]: [Draft, Draft] = [{ ...update }, { ...told }];
  const names = Object.keys(rules).filter((name) => rules[name]?.(recorded, projected, context));
  return isDeepStrictEqual(recorded, projected) ? names : undefined;
}

function remember(update: Fields, told: Fields, context: Context): void {
  const { sessionUpdate, toolCallId } = update;
  if (sessionUpdate === 'current_mode_update') context.mode = update['currentModeId'];
  if (told['sessionUpdate'] === 'config_option_update') context.options = told['configOptions'];
  if (sessionUpdate === 'tool_call') {
    context.ended.delete(toolCallId);
    context.kinds.delete(toolCallId);
  }
  if (told['kind'] !== undefined) context.kinds.set(toolCallId, told['kind']);
  if (update['status'] === 'completed' || update['status'] === 'failed') context.ended.add(toolCallId);
}
