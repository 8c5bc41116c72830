import { isDeepStrictEqual } from 'node:util';
import { isFields } from '../base/fields.js';
import type { NewRequest } from '../services/hostServices.js';
import { commandsIn } from '../session/commandInput.js';
import type { ToolCallContent } from '../session/content.js';
import type { SessionEvent } from '../session/event.js';
import { closeReasonOf, type PermissionRequest, type PermissionSubject } from '../session/userRequest.js';

type ToolEvent = Extract<SessionEvent, { type: 'tool' }>;
type NewPermission = Extract<NewRequest, { kind: 'permission' }>;

/** A request lists at most this many calls. */
const mostCalls = 64;

/**
 * The tool calls of the running turn, as the agent last described them. A request that says nothing about what it is for shows those that
 * nobody decided about, and a call that changes while its request is open changes the request.
 */
export class AnnouncedCalls {
  /** By the id of the item. */
  readonly #calls = new Map<string, PermissionSubject>();
  /** The ids of calls that have neither ended nor been asked about, oldest first. */
  readonly #undecided = new Set<string>();
  /** The ids of the calls that an open request lists. */
  readonly #listed = new Map<string, readonly string[]>();

  /** @returns how the event changes an open request; undefined for an event that changes none */
  onEvent(event: SessionEvent): ((request: PermissionRequest) => PermissionRequest | undefined) | undefined {
    switch (event.type) {
      case 'tool':
        return this.#onTool(event);
      case 'request_opened':
        if (event.request.kind === 'permission') this.#onOpened(event.request);
        return undefined;
      case 'request_closed': {
        const isChanged = closeReasonOf(event.answer) === 'withdrawn';
        if (!isChanged) for (const id of this.#listed.get(event.requestId) ?? []) this.#undecided.delete(id);
        this.#listed.delete(event.requestId);
        return undefined;
      }
      case 'turn_ended':
        this.#calls.clear();
        this.#undecided.clear();
        return undefined;
      default:
        return undefined;
    }
  }

  /** Adds the calls that a request may be about if it doesn't say it itself. */
  complete(request: NewRequest): NewRequest {
    if (request.kind !== 'permission' || !isBlind(request)) return request;
    const own = request.subject.itemId;
    const calls: PermissionSubject[] = [];
    for (const id of this.#undecided) {
      const call = id === own ? undefined : this.#calls.get(id);
      if (call !== undefined) calls.push(call);
      if (calls.length === mostCalls) break;
    }
    if (calls.length === 0) return request;
    const moreCalls = this.#undecided.size - calls.length - (own !== undefined && this.#undecided.has(own) ? 1 : 0);
    return { ...request, calls, ...(moreCalls > 0 ? { moreCalls } : {}) };
  }

  #onOpened({ id, subject, calls = [] }: PermissionRequest): void {
    if (subject.itemId !== undefined) this.#undecided.delete(subject.itemId);
    this.#listed.set(
      id,
      calls.flatMap(({ itemId }) => itemId ?? []),
    );
  }

  #onTool({ id, toolCallId, patch, origin }: ToolEvent): ReturnType<AnnouncedCalls['onEvent']> {
    const { title, toolKind, rawInput, content, locations, status } = patch;
    const before = this.#calls.get(id);
    const after: PermissionSubject = {
      itemId: id,
      toolCallId,
      title: title ?? before?.title ?? toolCallId,
      toolKind: toolKind ?? before?.toolKind ?? 'other',
      rawInput: rawInput ?? before?.rawInput,
      content: content ?? before?.content ?? [],
      locations: locations ?? before?.locations ?? [],
    };
    this.#calls.set(id, after);
    if (status !== undefined && status !== 'pending' && status !== 'in_progress') this.#undecided.delete(id);
    // What the host adds for a request was not announced.
    else if (before === undefined && origin !== 'host') this.#undecided.add(id);
    const isSame = before !== undefined && [title, toolKind, rawInput, content, locations].every((member) => member === undefined);
    if (isSame) return undefined;
    return (request) => changed(request, before, after, this.#undecided.has(id));
  }
}

/** @param before undefined for a call that was just announced */
function changed(
  request: PermissionRequest,
  before: PermissionSubject | undefined,
  after: PermissionSubject,
  isUndecided: boolean,
): PermissionRequest | undefined {
  const { subject, calls = [], moreCalls = 0 } = request;
  const at = calls.findIndex(({ itemId }) => itemId === after.itemId);
  if (at >= 0) return isDeepStrictEqual(calls[at], after) ? undefined : { ...request, calls: calls.with(at, after) };
  const isOwn = subject.itemId === undefined ? subject.toolCallId === after.toolCallId : subject.itemId === after.itemId;
  if (isOwn) return changedOwn(request, before, after);
  if (before !== undefined || !isUndecided || !isBlind(request)) return undefined;
  return calls.length < mostCalls ? { ...request, calls: [...calls, after] } : { ...request, moreCalls: moreCalls + 1 };
}

/** The request is about the call: it takes over what it said in the call's words, and keeps what it said in its own. */
function changedOwn(
  request: PermissionRequest,
  before: PermissionSubject | undefined,
  after: PermissionSubject,
): PermissionRequest | undefined {
  const { subject, calls = [] } = request;
  const takesInput = subject.rawInput == null || isDeepStrictEqual(subject.rawInput, before?.rawInput);
  const next: PermissionSubject = {
    ...subject,
    title: subject.title === before?.title ? after.title : subject.title,
    toolKind: subject.toolKind === before?.toolKind ? after.toolKind : subject.toolKind,
    rawInput: takesInput ? after.rawInput : subject.rawInput,
    content: after.content === before?.content ? subject.content : changedContent(subject.content, before?.content ?? [], after.content),
    locations: after.locations === before?.locations ? subject.locations : united(subject.locations, after.locations, ({ path }) => path),
  };
  const isInputShown = takesInput || isDeepStrictEqual(after.rawInput, before?.rawInput) || isPart(after.rawInput, subject.rawInput);
  if (!isInputShown) return { ...request, subject: next, calls: [...calls, { ...after, content: [], locations: [] }] };
  return isDeepStrictEqual(next, subject) ? undefined : { ...request, subject: next };
}

/** What only the request said stays, and so does a change of a file that nothing replaces. */
function changedContent(
  asked: readonly ToolCallContent[],
  before: readonly ToolCallContent[],
  after: readonly ToolCallContent[],
): readonly ToolCallContent[] {
  const [old, current] = [keysOf(before), keysOf(after)];
  const changedFiles = new Set(after.flatMap((part) => (part.type === 'diff' ? [part.path] : [])));
  const stays = asked.filter((part) => {
    const key = JSON.stringify(part);
    return !old.has(key) || current.has(key) || (part.type === 'diff' && !changedFiles.has(part.path));
  });
  return united(stays, after, (part) => JSON.stringify(part));
}

function keysOf(content: readonly ToolCallContent[]): ReadonlySet<string> {
  return new Set(content.map((part) => JSON.stringify(part)));
}

function united<T>(list: readonly T[], more: readonly T[], keyOf: (entry: T) => string): readonly T[] {
  const known = new Set(list.map(keyOf));
  const added = more.filter((entry) => !known.has(keyOf(entry)));
  return added.length === 0 ? list : [...list, ...added];
}

/** What a request says is read once, and not for each call that is announced while it is open. */
const blindness = new WeakMap<PermissionSubject, boolean>();

/** Whether the request says nothing about what it is for, except in sentences. */
function isBlind({ subject }: Pick<NewPermission, 'subject'>): boolean {
  const known = blindness.get(subject) ?? saysNothing(subject);
  blindness.set(subject, known);
  return known;
}

function saysNothing({ rawInput, content, locations }: PermissionSubject): boolean {
  const isEmpty = rawInput == null || (isFields(rawInput) && Object.keys(rawInput).length === 0);
  return isEmpty && locations.length === 0 && content.every((part) => part.type === 'content' && !hasCommand(part));
}

function hasCommand({ content }: Extract<ToolCallContent, { type: 'content' }>): boolean {
  return content.type === 'text' && commandsIn(content.text.slice(content.text.indexOf('{'))).length > 0;
}

/** Whether the second value has everything that the first one says. */
function isPart(one: unknown, other: unknown): boolean {
  if (one == null) return true;
  if (!isFields(one) || !isFields(other)) return isDeepStrictEqual(one, other);
  return Object.entries(one).every(([name, value]) => isDeepStrictEqual(value, other[name]));
}
