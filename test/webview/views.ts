/** Views as the host sends them, for tests to start with. */
import type { ChangesView, FieldView } from '../../src/contract/viewParts.js';
import type { ChatView, ItemView, PermissionPromptView, RequestPartView, FormPromptView, ToolItemView } from '../../src/contract/view.js';

/** A fixed time, so that ages are the same in each run. */
export const noon = Date.UTC(2026, 0, 5, 12);

export function emptyView(changes: Partial<ChatView> = {}): ChatView {
  return {
    header: { agent: 'agentao', version: '0.5.17', model: 'openai/gpt-x', state: 'ready', stateText: 'ready' },
    banner: null,
    items: [],
    empty: {
      title: 'Ask agentao',
      text: 'It reads, searches and changes files of this folder, and asks before it runs commands.',
      examples: ['Explain how this project is laid out', 'Find and fix the failing test', 'Write a README for the parser'],
      recent: ['fix the lexer', 'make the parser tolerant'].map((label) => ({ action: 'openConversation' as const, label, itemId: label })),
      buttons: [{ action: 'selectAgent', label: 'Choose another agent' }],
    },
    plans: [],
    prompts: [],
    wait: null,
    queue: [],
    held: [],
    review: null,
    unsaved: null,
    composer: { placeholder: 'Ask agentao…', busy: false, selectors: [], commands: [], chips: [] },
    ...changes,
  };
}

export function userItem(id: string, text: string, promptId?: string): ItemView {
  return { kind: 'user', id, ...(promptId !== undefined && { promptId }), text, attachments: [], at: noon };
}

export function agentItem(id: string, markdown: string, open = false): ItemView {
  return { kind: 'agent', id, markdown, attachments: [], open, at: noon };
}

export function toolItem(id: string, changes: Partial<ToolItemView> = {}): ToolItemView {
  return {
    kind: 'tool',
    id,
    toolKind: 'read',
    title: 'read_file',
    verb: 'Read',
    target: `src/${id}.ts`,
    status: 'completed',
    statusText: 'done',
    diffs: [],
    locations: [{ path: `/project/src/${id}.ts`, label: `src/${id}.ts` }],
    attachments: [],
    startedAt: noon,
    endedAt: noon + 200,
    ...changes,
  };
}

/** What a turn changed, with everything that can be said of a file. */
export function changesView(changes: Partial<ChangesView> = {}): ChangesView {
  return {
    counts: { files: '44 files', added: 118, removed: 12 },
    files: [
      { path: 'src/parser.ts', status: 'modified', added: 12, removed: 3, notes: [] },
      { path: 'src/parser/lenientReader.ts', status: 'added', added: 106, removed: 0, notes: ['created', 'may be yours'] },
      { path: 'docs/old notes.md', status: 'deleted', added: 0, removed: 9, notes: ['deleted', 'by a command'] },
      {
        path: 'src/tokens.ts',
        status: 'renamed',
        added: 0,
        removed: 0,
        notes: ['renamed from src/lexer/tokens.ts', 'undone'],
        isUndone: true,
      },
      { path: '.env', status: 'modified', added: 0, removed: 0, notes: ['content not saved'], isFixed: true },
    ],
    more: 'and 39 more',
    notes: ['Another conversation worked in the folder at the same time, so some of these changes may come from it.'],
    buttons: [
      { action: 'reviewChanges', label: 'Review' },
      { action: 'undoTurn', label: 'Undo' },
    ],
    ...changes,
  };
}

export function turnEndItem(id: string, changes: Partial<TurnEndItemView> = {}): TurnEndItemView {
  return { kind: 'turn_end', id, severity: 'info', durationMs: 54_000, files: [], buttons: [], at: noon, ...changes };
}

type TurnEndItemView = Extract<ItemView, { kind: 'turn_end' }>;

export const toReview: NonNullable<ChatView['review']> = {
  text: '44 files to\u00a0review',
  buttons: [
    { action: 'previousFile', label: 'Previous File' },
    { action: 'nextFile', label: 'Next File' },
    { action: 'reviewChanges', label: 'Review All' },
    { action: 'markReviewed', label: 'Mark as Reviewed' },
  ],
};

export const commandPart = (text: string): RequestPartView => ({ type: 'text', text, code: true, copy: 'command' });

export function permissionPrompt(changes: Partial<PermissionPromptView> = {}): PermissionPromptView {
  return {
    kind: 'permission',
    id: 'ask-1',
    agent: 'agentao',
    at: noon,
    title: 'Run a command?',
    toolTitle: 'run_shell_command',
    toolKind: 'execute',
    parts: [commandPart('rm -rf build && npm run build')],
    risks: ['May delete something', 'Runs several commands'],
    context: ['in ~/project'],
    details: [],
    rawInput: '{\n  "command": "rm -rf build && npm run build"\n}',
    rejectsWhenDismissed: true,
    options: [
      { optionId: 'yes', digit: 1, kind: 'Allow once', icon: 'allows', primary: true },
      {
        optionId: 'always',
        digit: 2,
        isMore: true,
        kind: 'Always allow',
        reach: 'any run_shell_command, this session',
        icon: 'allowsAlways',
        primary: false,
      },
      { optionId: 'no', digit: 3, kind: 'Reject once', icon: 'rejects', primary: false },
      { optionId: 'never', digit: 4, isMore: true, kind: 'Always reject', icon: 'rejects', primary: false },
    ],
    ...changes,
  };
}

/** A form with one field, whose properties are given together with those of the form. */
export function questionPrompt(changes: Partial<FormPromptView> = {}, field: FieldView = oneOf('SQLite', 'PostgreSQL')): FormPromptView {
  return {
    kind: 'form',
    id: 'ask-2',
    agent: 'agentao',
    at: noon,
    title: 'Which one?',
    message: 'Which database should the example use?',
    fields: [field],
    canDecline: false,
    ...changes,
  };
}

const choicesOf = (values: readonly string[]) => values.map((value) => ({ value, label: value }));

/** Allows a custom value. */
export function oneOf(...values: readonly string[]): FieldView {
  return { type: 'select', name: 'answer', required: true, choices: choicesOf(values), allowCustom: true };
}

export function anyOf(...values: readonly string[]): FieldView {
  return { type: 'multiselect', name: 'answer', required: true, choices: choicesOf(values), allowCustom: false };
}

/** Fields of every kind, with everything that can be shown beside them. */
const everyField: readonly FieldView[] = [
  { type: 'text', name: 'name', label: 'Name', required: true, placeholder: 'e.g. api', description: 'Part of the address.' },
  { type: 'text', name: 'notes', label: 'Notes', required: false, multiline: true },
  { type: 'integer', name: 'port', label: 'Port', required: true, min: 1024, defaultValue: 80 },
  { type: 'boolean', name: 'public', label: 'Reachable from everywhere', required: false, description: 'Needs a certificate.' },
  { ...anyOf('eu-central', 'us-east'), name: 'regions', label: 'Regions', required: false },
  {
    type: 'select',
    name: 'size',
    required: true,
    allowCustom: true,
    choices: [{ value: 's', label: 'Small', description: '1 CPU, 1 GB' }],
  },
];

export function longForm(): FormPromptView {
  return questionPrompt({ title: 'New service', message: 'How should it run?', fields: [...everyField], canDecline: true });
}

export const freeText: FieldView = { type: 'text', name: 'answer', required: true, multiline: true };

const answer = `I found **two places** where the parser gives up too early, see \`src/parser.ts:41\` and [the notes](docs/notes.md).

1. A trailing comma ends the list.
2. A comment after a key is read as a value:
   - only with \`//\`
   - never with \`#\`

\`\`\`ts
export function parse(text: string): Result<Node> {
  // A trailing comma is allowed since 0.4.
  const tokens = tokenize(text, { comments: true });
  return tokens.length === 0 ? empty : readNode(tokens, 0);
}
\`\`\`

| case | before | after |
|---|:-:|--:|
| trailing comma | error | 2 nodes |
| comment | *wrong* | 1 node |

> The tests of \`lenient\` mode cover both.

- [x] parser
- [ ] changelog
`;

/** A conversation with one of everything. */
export function richView(changes: Partial<ChatView> = {}): ChatView {
  return emptyView({
    header: {
      agent: 'agentao',
      version: '0.5.17',
      model: 'openai/gpt-x',
      name: 'make the parser tolerant',
      state: 'busy',
      stateText: 'busy',
    },
    items: [
      userItem('u1', 'make the parser tolerant'),
      {
        kind: 'thought',
        id: 't1',
        text: 'The user wants a *lenient* parser. Let me look at it.',
        open: false,
        startedAt: noon,
        endedAt: noon + 4000,
      },
      toolItem('parser'),
      toolItem('lexer'),
      toolItem('search', { toolKind: 'search', verb: 'Search', target: 'trailing comma', locations: [] }),
      toolItem('nodes'),
      toolItem('edit', {
        toolKind: 'edit',
        title: 'replace',
        verb: 'Edit',
        target: 'src/parser.ts',
        status: 'completed',
        statusText: 'done',
        caveat: 'agentao reports every call as completed, also one that failed.',
        diffs: [
          {
            path: '/project/src/parser.ts',
            oldText: 'a\nb\nreturn fail(token);\nc\n',
            newText: 'a\nb\nif (token.kind === "comma") continue;\nreturn fail(token);\nc\n',
            added: 1,
            removed: 0,
          },
        ],
      }),
      toolItem('run', {
        toolKind: 'execute',
        title: 'run_shell_command',
        verb: 'Run',
        target: 'npm test',
        status: 'in_progress',
        statusText: 'running',
        input: 'npm test',
        output: Array.from({ length: 30 }, (_, line) => `test ${line + 1} … ok`).join('\n'),
        locations: [],
        rawInput: '{\n  "command": "npm test"\n}',
      }),
      toolItem('failed', {
        toolKind: 'fetch',
        title: 'web_fetch',
        verb: 'Fetch',
        target: 'https://docs.example/parser',
        status: 'failed',
        statusText: 'failed',
        output: 'Error: not approved',
        locations: [],
      }),
      agentItem('a1', answer),
      turnEndItem('e1', { durationMs: 42_000, changes: changesView() }),
      {
        kind: 'notice',
        id: 'n1',
        severity: 'warning',
        title: 'agentao said nothing',
        description: 'The turn ended without an answer. Its log may say why.',
        buttons: [
          { action: 'retry', label: 'Retry' },
          { action: 'showLog', label: 'Show log' },
        ],
        at: noon,
      },
    ],
    plans: [
      [
        { content: 'Read the parser', priority: 'high', status: 'completed' },
        { content: 'Allow trailing commas', priority: 'high', status: 'in_progress' },
        { content: 'Run the tests', priority: 'medium', status: 'pending' },
      ],
    ],
    wait: {
      text: 'agentao is thinking',
      since: noon,
      changes: { files: '2 files', added: 8, removed: 3 },
      buttons: [{ action: 'stop', label: 'Stop' }],
    },
    review: toReview,
    queue: [{ id: 'q1', text: 'and update the changelog' }],
    composer: {
      placeholder: 'Ask agentao…',
      busy: true,
      selectors: [
        {
          id: 'mode',
          label: 'Mode',
          category: 'mode',
          value: 'workspace-write',
          hint: 'workspace-write changes files without asking.',
          options: [
            { value: 'workspace-write', label: 'workspace-write' },
            { value: 'plan', label: 'plan' },
          ],
        },
        { id: 'model', label: 'Model', category: 'model', value: 'gpt-x', options: [{ value: 'gpt-x', label: 'openai/gpt-x' }] },
      ],
      commands: [
        { name: 'compact', description: 'Shorten the context' },
        { name: 'clear', description: 'Start over' },
        { name: 'review', description: 'Review changes', hint: 'branch' },
      ],
      chips: [{ id: 'c1', label: 'parser.ts:10–24', title: 'Selection of parser.ts' }],
      usage: { used: 24_000, size: 200_000, cost: '$0.12' },
    },
    ...changes,
  });
}
