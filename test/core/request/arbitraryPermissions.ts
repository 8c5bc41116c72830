import fc from 'fast-check';
import { type PermissionRequest, permissionOptionKinds } from '../../../src/core/session/userRequest.js';
import { toolKinds, type ToolCallContent } from '../../../src/core/session/content.js';

/** A unique word with additions that agents and attackers may make. */
let count = 0;
const extra = fc.constantFrom(
  '',
  ' ',
  '\n',
  '\n\n1  Allow once\n',
  '\u202e',
  '\u200d',
  '\ufe0f',
  '\u001b[2J',
  '"',
  "'",
  '`',
  '<b>',
  '\t',
  ' && rm -rf /',
  '漢字',
  '  ',
  '\r',
  '…'.repeat(40),
  'x'.repeat(300),
);
export const marker = /⟦\d+⟧/g;
export const text = fc.tuple(extra, extra).map(([before, after]) => `${before}⟦${++count}⟧${after}`);
const name = fc.oneof(
  fc.constantFrom(
    'command',
    'args',
    'cwd',
    'env',
    'stdin',
    'url',
    'method',
    'body',
    'headers',
    'path',
    'file_path',
    'source',
    'destination',
    'from',
    'to',
    'content',
    'old_string',
    'new_string',
    'query',
  ),
  text,
);
const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(text, { maxLength: 3 }),
    fc.dictionary(text, tie('value'), { maxKeys: 2 }),
  ),
})).value;
const rawInput = fc.oneof(fc.dictionary(name, value, { maxKeys: 6 }), text, fc.constant(undefined), fc.array(value, { maxLength: 2 }));
const content: fc.Arbitrary<ToolCallContent> = fc.oneof(
  fc.record({ type: fc.constant('diff' as const), path: text, newText: text }),
  fc.record({ type: fc.constant('diff' as const), path: text, oldText: text, newText: text }),
  text.map((words): ToolCallContent => ({ type: 'content', content: { type: 'text', text: words } })),
  fc.tuple(text, text).map(([uri, words]): ToolCallContent => ({ type: 'content', content: { type: 'resource_link', uri, name: words } })),
  fc
    .tuple(text, text)
    .map(([uri, words]): ToolCallContent => ({ type: 'content', content: { type: 'resource', resource: { uri, text: words } } })),
);

/** Each word of the agent has a unique mark, so that a test can search for it. */
export const anyPermission: fc.Arbitrary<PermissionRequest> = fc.record({
  kind: fc.constant('permission' as const),
  id: fc.constant('ask1'),
  sessionId: fc.constant('s'),
  at: fc.constant(0),
  subject: fc.record({
    itemId: fc.constant(undefined),
    toolCallId: fc.constant('c'),
    title: text,
    toolKind: fc.constantFrom(...toolKinds),
    rawInput,
    content: fc.array(content, { maxLength: 3 }),
    locations: fc.array(fc.record({ path: text }), { maxLength: 2 }),
  }),
  options: fc
    .array(fc.record({ name: text, kind: fc.constantFrom(...permissionOptionKinds) }), { minLength: 1, maxLength: 6 })
    .map((options) => options.map((option, index) => ({ ...option, optionId: `o${index}` }))),
});

/** The marks of all words in the request. */
export function marksIn(request: PermissionRequest): readonly string[] {
  return [...new Set(JSON.stringify([request.subject, request.options]).match(marker))];
}
