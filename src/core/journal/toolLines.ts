/**
 * Tool calls as lines of the journal. An agent sends the whole output with each update; a line contains only what was added since the
 * previous line.
 */
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { type Fields, isFields } from '../base/fields.js';
import type { Redactor } from '../base/redact.js';
import type { SessionEvent, ToolPatch } from '../session/event.js';
import type { ToolCallContent } from '../session/model.js';
import { parseEvent } from './eventSchema.js';

const path = z.array(z.union([z.string(), z.number()]));

/** How a JSON value changed, briefly if it only grew. `keep`: the length of the text or list that stays; `of`: the length before. Otherwise `value` replaces the old value. */
const jsonEdit = z.union([
  z.object({ path, of: z.number(), keep: z.number(), rest: z.union([z.string(), z.array(z.unknown())]) }),
  z.object({ path, value: z.optional(z.unknown()) }),
]);
type JsonEdit = z.infer<typeof jsonEdit>;
type Path = JsonEdit['path'];

export type ToolEvent = Extract<SessionEvent, { type: 'tool' }>;

/** Fields that can be long and are sent repeatedly. */
const longFields = ['content', 'rawInput', 'rawOutput'] as const;
type Long = Partial<Record<(typeof longFields)[number], unknown>>;

/** A change of a tool call from an earlier line. `patch` is as in the event; `edits` turn the earlier long fields into the current ones. */
const deltaSchema = z.object({
  type: z.literal('tool_delta'),
  at: z.number(),
  id: z.string(),
  toolCallId: z.string(),
  patch: z.looseObject({}),
  edits: z.array(jsonEdit),
});
type ToolDelta = z.infer<typeof deltaSchema>;

export interface ToolLine {
  readonly text: string;
  /** The end may begin a secret, and waits for the rest of it. */
  readonly isCut: boolean;
}

/** Creates the lines of one writer. */
export class ToolLineWriter {
  readonly #redactor: Redactor;
  /** The long fields as they are on disk, by tool call. */
  readonly #written = new Map<string, Long>();
  #isCut = false;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /**
   * Call it for the events that will be written, in that order: the next line of the same tool call builds on this one.
   * @param isPartial more will follow
   */
  line(event: ToolEvent, isPartial: boolean): ToolLine {
    this.#isCut = false;
    const whole = this.#redactor.json(isPartial ? { ...event, patch: this.#withoutTails(event.patch) } : event) as ToolEvent;
    const isCut = this.#isCut;
    const { patch, ...rest } = whole;
    const before = this.#written.get(event.id) ?? {};
    const known = longFields.filter((field) => field in before && field in patch);
    this.#written.set(event.id, { ...before, ...longOf(patch) });
    if (known.length === 0) return { text: `${JSON.stringify(whole)}\n`, isCut };
    const edits = known.flatMap((field) => diffJson(before[field], patch[field], [field]));
    const others = Object.fromEntries(Object.entries(patch).filter(([key]) => !known.some((field) => field === key)));
    const delta: ToolDelta = { ...rest, type: 'tool_delta', patch: others, edits: [...edits] };
    return { text: `${JSON.stringify(delta)}\n`, isCut };
  }

  /** Ends the tool calls so far. A later update of them is written as a whole. */
  forget(): void {
    this.#written.clear();
  }

  #withoutTails({ content, rawOutput, ...rest }: ToolPatch): ToolPatch {
    return {
      ...rest,
      ...(content !== undefined && { content: content.map((part) => this.#withoutTail(part)) }),
      ...(rawOutput !== undefined && { rawOutput: this.#withoutTailsIn(rawOutput) }),
    };
  }

  #withoutTail(part: ToolCallContent): ToolCallContent {
    if (part.type === 'terminal' && part.output !== undefined) return { ...part, output: this.#cut(part.output) };
    if (part.type !== 'content' || part.content.type !== 'text') return part;
    return { ...part, content: { ...part.content, text: this.#cut(part.content.text) } };
  }

  /** @param value JSON whose shape only the agent knows, so that each of its texts may go on */
  #withoutTailsIn(value: unknown): unknown {
    if (typeof value === 'string') return this.#cut(value);
    if (Array.isArray(value)) return value.map((item) => this.#withoutTailsIn(item));
    if (!isFields(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, this.#withoutTailsIn(member)]));
  }

  #cut(text: string): string {
    const end = this.#redactor.tailAt(text);
    this.#isCut ||= end < text.length;
    return text.slice(0, end);
  }
}

/** Interprets the lines of one conversation, in order. */
export class ToolLineReader {
  readonly #read = new Map<string, Long>();

  /** @param line the parsed JSON @returns undefined if it is not an event */
  parse(line: unknown): SessionEvent | undefined {
    const delta = isFields(line) && line['type'] === 'tool_delta' ? deltaSchema.safeParse(line) : undefined;
    const event = delta === undefined ? parseEvent(line) : delta.success ? this.#resolve(delta.data) : undefined;
    if (event?.type === 'tool') this.#note(event);
    // As the writer does: a later update of these tool calls is whole.
    else if (event?.type === 'turn_ended') this.forget();
    return event;
  }

  /** Another session follows. */
  forget(): void {
    this.#read.clear();
  }

  #note({ id, patch }: ToolEvent): void {
    const known = this.#read.get(id);
    this.#read.set(id, known === undefined ? patch : { ...longOf(known), ...longOf(patch) });
  }

  #resolve({ at, id, toolCallId, patch, edits }: ToolDelta): SessionEvent | undefined {
    const known = this.#read.get(id) ?? {};
    const changed = applyEdits(known, edits)?.value;
    // If the output before it was removed, the rest of the event is still valid.
    const long = isFields(changed) ? changedOf(known, changed) : {};
    return parseEvent({ type: 'tool', at, id, toolCallId, patch: { ...patch, ...long } });
  }
}

function longOf(patch: Long | ToolPatch): Long {
  const long: Long = {};
  for (const field of longFields) if (field in patch) long[field] = patch[field];
  return long;
}

function changedOf(before: Long, after: Readonly<Record<string, unknown>>): Long {
  return Object.fromEntries(longFields.flatMap((field) => (after[field] === before[field] ? [] : [[field, after[field]]])));
}

/** @returns the edits that turn `before` into `after`, to be applied in order */
function diffJson(before: unknown, after: unknown, at: Path): readonly JsonEdit[] {
  if (before === after) return [];
  if (typeof before === 'string' && typeof after === 'string') {
    const keep = commonStart(before, after);
    return [{ path: at, of: before.length, keep, rest: after.slice(keep) }];
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    const keep = Math.min(before.length, after.length);
    const edits = after.slice(0, keep).flatMap((one, index) => diffJson(before[index], one, [...at, index]));
    return before.length === after.length ? edits : [...edits, { path: at, of: before.length, keep, rest: after.slice(keep) }];
  }
  if (isFields(before) && isFields(after) && hasSameMembers(before, after))
    return Object.keys(after).flatMap((key) => diffJson(before[key], after[key], [...at, key]));
  return [{ path: at, value: after }];
}

/** @returns undefined if the edits are for another value */
function applyEdits(before: unknown, edits: readonly JsonEdit[]): { readonly value: unknown } | undefined {
  let result: { readonly value: unknown } | undefined = { value: before };
  for (const edit of edits) result = result && applyAt(result.value, edit.path, edit);
  return result;
}

function applyAt(before: unknown, [key, ...below]: Path, edit: JsonEdit): { readonly value: unknown } | undefined {
  if (key === undefined) return applyHere(before, edit);
  if (Array.isArray(before) && typeof key === 'number' && key in before) {
    const changed = applyAt(before[key], below, edit);
    return changed && { value: before.with(key, changed.value) };
  }
  if (!isFields(before) || !Object.hasOwn(before, key)) return undefined;
  const changed = applyAt(before[key], below, edit);
  return changed && { value: { ...before, [key]: changed.value } };
}

function applyHere(before: unknown, edit: JsonEdit): { readonly value: unknown } | undefined {
  if (!('of' in edit)) return { value: edit.value };
  const { of, keep, rest } = edit;
  if (typeof before === 'string' && typeof rest === 'string' && before.length === of)
    return { value: keep === of ? before + rest : before.slice(0, keep) + rest };
  if (Array.isArray(before) && Array.isArray(rest) && before.length === of) return { value: before.slice(0, keep).concat(rest) };
  return undefined;
}

function commonStart(one: string, other: string): number {
  if (other.startsWith(one)) return one.length;
  const end = Math.min(one.length, other.length);
  let length = 0;
  while (length < end && one.charCodeAt(length) === other.charCodeAt(length)) length++;
  return length;
}

/** A member that is `undefined` is not in the JSON. */
function hasSameMembers(one: Fields, other: Fields): boolean {
  const isWritten = (fields: Fields): boolean => !Object.values(fields).includes(undefined);
  return isDeepStrictEqual(Object.keys(one), Object.keys(other)) && isWritten(one) && isWritten(other);
}
