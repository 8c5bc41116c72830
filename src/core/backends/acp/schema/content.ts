/** Parses content blocks and the content of tool calls. Source: ACP v1, schema/v1/schema.json of `@agentclientprotocol/sdk` 2.4.0. */
import type { ContentBlock, ToolCallContent, ToolCallLocation } from '@agentclientprotocol/sdk';
import * as z from 'zod/mini';
import {
  every,
  type Fields,
  isFields,
  isMeta,
  isNumber,
  isText,
  itemParser,
  listOf,
  meta,
  nullish,
  oneOf,
  orNull,
  shape,
} from './lenient.js';

const role = z.enum(['user', 'assistant']);
const annotations = orNull(
  z.looseObject({
    audience: orNull(listOf(itemParser(role))),
    lastModified: orNull(z.string()),
    priority: orNull(z.number()),
    _meta: meta,
  }),
);

/** Has either `text` or `blob`, never both: agents write an absent one as null, and what is not read must not look like the other kind. */
const resourceContents = z.pipe(
  z.looseObject({
    uri: z.string(),
    text: z.optional(z.unknown()),
    blob: z.optional(z.unknown()),
    mimeType: orNull(z.string()),
    _meta: meta,
  }),
  z.transform(({ text, blob, ...rest }, context) => {
    if (typeof text === 'string') return { ...rest, text };
    if (typeof blob === 'string') return { ...rest, blob };
    context.issues.push({ code: 'custom', message: 'neither text nor blob', input: text });
    return z.NEVER;
  }),
);

type BlockOf<K extends ContentBlock['type']> = Extract<ContentBlock, { type: K }>;

const blocks: { readonly [K in ContentBlock['type']]: z.ZodMiniType<BlockOf<K>> } = {
  text: z.looseObject({ type: z.literal('text'), text: z.string(), annotations, _meta: meta }),
  image: z.looseObject({
    type: z.literal('image'),
    data: z.string(),
    mimeType: z.string(),
    uri: orNull(z.string()),
    annotations,
    _meta: meta,
  }),
  audio: z.looseObject({ type: z.literal('audio'), data: z.string(), mimeType: z.string(), annotations, _meta: meta }),
  resource_link: z.looseObject({
    type: z.literal('resource_link'),
    uri: z.string(),
    name: z.string(),
    mimeType: orNull(z.string()),
    title: orNull(z.string()),
    description: orNull(z.string()),
    size: orNull(z.number()),
    annotations,
    _meta: meta,
  }),
  resource: z.looseObject({ type: z.literal('resource'), resource: resourceContents, annotations, _meta: meta }),
};

const isAnnotations = nullish(
  shape<NonNullable<BlockOf<'text'>['annotations']>>({
    audience: nullish(every(oneOf(['user', 'assistant']))),
    lastModified: nullish(isText),
    priority: nullish(isNumber),
    _meta: isMeta,
  }),
);

/** The hot path: nearly everything that an agent sends is a text block. */
export const isTextBlock = shape<BlockOf<'text'>>({
  type: (value) => value === 'text',
  text: isText,
  annotations: isAnnotations,
  _meta: isMeta,
});

function isBlockType(type: unknown): type is ContentBlock['type'] {
  return typeof type === 'string' && Object.hasOwn(blocks, type);
}

/**
 * Never loses a block: what the host cannot show becomes a text that says so, because agents don't limit themselves to the blocks of v1.
 * @returns undefined if the value is not a block
 */
export function parseContentBlock(value: unknown): ContentBlock | undefined {
  if (isTextBlock(value)) return value;
  if (typeof value === 'string') return { type: 'text', text: value };
  if (!isFields(value)) return undefined;
  if (isBlockType(value['type'])) {
    const result = blocks[value['type']].safeParse(value);
    if (result.success) return result.data;
  }
  return typeof value['text'] === 'string'
    ? { type: 'text', text: value['text'] }
    : { type: 'text', text: `[${describe(value)} that cannot be shown]` };
}

function describe(value: Fields): string {
  return typeof value['type'] === 'string' ? `content of type "${value['type'].slice(0, 40)}"` : 'content without a type';
}

const diff: z.ZodMiniType<Extract<ToolCallContent, { type: 'diff' }>> = z.looseObject({
  type: z.literal('diff'),
  path: z.string(),
  oldText: orNull(z.string()),
  newText: z.string(),
  _meta: meta,
});
const terminal: z.ZodMiniType<Extract<ToolCallContent, { type: 'terminal' }>> = z.looseObject({
  type: z.literal('terminal'),
  terminalId: z.string(),
  _meta: meta,
});

const isDiff = shape<Extract<ToolCallContent, { type: 'diff' }>>({
  type: (value) => value === 'diff',
  path: isText,
  oldText: nullish(isText),
  newText: isText,
  _meta: isMeta,
});
const isTextContent = shape<Extract<ToolCallContent, { type: 'content' }>>({
  type: (value) => value === 'content',
  content: isTextBlock,
  _meta: isMeta,
});

export function isPlainToolContent(value: unknown): value is ToolCallContent {
  return isTextContent(value) || isDiff(value);
}

/** Treats a bare block like its wrapped form, because a page of the specification (session-modes) shows it, and agents copied that. */
export function parseToolContent(value: unknown): ToolCallContent | undefined {
  if (isPlainToolContent(value)) return value;
  if (isFields(value)) {
    // A link to a sub-agent, which has a card of its own (`linkedSessions`).
    if (value['type'] === 'session') return undefined;
    const parsed =
      value['type'] === 'diff' ? diff.safeParse(withNewText(value)) : value['type'] === 'terminal' ? terminal.safeParse(value) : undefined;
    if (parsed?.success === true) return parsed.data;
    if (value['type'] === 'content') {
      const content = parseContentBlock(value['content']);
      return content === undefined ? undefined : { ...value, type: 'content', content };
    }
  }
  const block = parseContentBlock(value);
  return block === undefined ? undefined : { type: 'content', content: block };
}

/** ACP requires a new text. Agents that delete a file have none. Without an old text either, nobody knows what changes. */
function withNewText(change: Fields): Fields {
  return change['newText'] == null && typeof change['oldText'] === 'string' ? { ...change, newText: '' } : change;
}

export const isLocation = shape<ToolCallLocation>({ path: isText, line: nullish(isNumber), _meta: isMeta });

export const parseLocation: (value: unknown) => ToolCallLocation | undefined = itemParser<ToolCallLocation>(
  z.looseObject({ path: z.string(), line: orNull(z.number()), _meta: meta }),
);
