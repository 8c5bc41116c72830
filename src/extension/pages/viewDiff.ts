import { isDeepStrictEqual } from 'node:util';
import type { Op } from '../../contract/messages.js';
import type { ChatView, ItemView } from '../../contract/view.js';
import { growthSince } from '../../core/index.js';

/**
 * Returns the operations that turn `previous` into `next`, for a page with `previous`. Items are compared by identity, so callers must keep
 * unchanged ones; the small sections are compared by value.
 */
export function diffViews(previous: ChatView, next: ChatView): Op[] {
  return [...diffItems(previous.items, next.items), ...diffSections(previous, next)];
}

function diffItems(previous: readonly ItemView[], next: readonly ItemView[]): Op[] {
  if (previous === next) return [];
  const ops: Op[] = [];
  let nextIds: ReadonlySet<string> | undefined;
  const isKept = (id: string): boolean => (nextIds ??= new Set(next.map((item) => item.id))).has(id);
  let index = 0;
  let diverged = false;
  for (const before of previous) {
    const after = next[index];
    if (!diverged && after?.id === before.id) {
      ops.push(...diffItem(before, after));
      index++;
    } else {
      // An item can only be replaced in its place or appended. From the first change of order on, all items are removed and added again.
      diverged ||= isKept(before.id);
      ops.push({ op: 'remove', id: before.id });
    }
  }
  for (const item of next.slice(index)) ops.push({ op: 'item', item });
  return ops;
}

function diffItem(before: ItemView, after: ItemView): Op[] {
  if (before === after) return [];
  const text = appendedText(before, after);
  if (text === undefined) return [{ op: 'item', item: after }];
  return text === '' ? [] : [{ op: 'append', id: after.id, text }];
}

/** Returns the text that was appended if nothing else changed; `''` if nothing changed. */
function appendedText(before: ItemView, after: ItemView): string | undefined {
  const [old, grown] = [growing(before), growing(after)];
  if (old === undefined || grown === undefined || !sameValue(old.rest, grown.rest)) return undefined;
  const added = growthSince(before, after);
  if (added !== undefined) return added;
  return grown.text.startsWith(old.text) ? grown.text.slice(old.text.length) : undefined;
}

/** Returns the member of an item that `append` adds to, and the other members. */
function growing(item: ItemView): { readonly text: string; readonly rest: object } | undefined {
  switch (item.kind) {
    case 'agent': {
      const { markdown, ...rest } = item;
      return { text: markdown, rest };
    }
    case 'thought':
    case 'user': {
      const { text, ...rest } = item;
      return { text, rest };
    }
    case 'tool': {
      const { output, ...rest } = item;
      return output === undefined ? undefined : { text: output, rest };
    }
    case 'notice':
    case 'plan':
    case 'subagent':
    case 'turn_end':
      return undefined;
  }
}

function diffSections(previous: ChatView, next: ChatView): Op[] {
  const ops: Op[] = [];
  if (!sameValue(previous.header, next.header)) ops.push({ op: 'header', header: next.header });
  if (!sameValue(previous.banner, next.banner)) ops.push({ op: 'banner', banner: next.banner });
  if (!sameValue(previous.empty, next.empty)) ops.push({ op: 'empty', empty: next.empty });
  if (!sameValue(previous.plans, next.plans)) ops.push({ op: 'plans', plans: next.plans });
  if (!sameValue(previous.prompts, next.prompts)) ops.push({ op: 'prompts', prompts: next.prompts });
  if (!sameValue(previous.wait, next.wait)) ops.push({ op: 'wait', wait: next.wait });
  if (!sameValue(previous.queue, next.queue)) ops.push({ op: 'queue', queue: next.queue });
  if (!sameValue(previous.held, next.held)) ops.push({ op: 'held', held: next.held });
  if (!sameValue(previous.review, next.review)) ops.push({ op: 'review', review: next.review });
  if (!sameValue(previous.unsaved, next.unsaved)) ops.push({ op: 'unsaved', unsaved: next.unsaved });
  if (!sameValue(previous.composer, next.composer)) ops.push({ op: 'composer', composer: next.composer });
  return ops;
}

function sameValue(a: unknown, b: unknown): boolean {
  return a === b || isDeepStrictEqual(a, b);
}
