import type { FileText } from '../../src/core/index.js';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editOf } from '../../src/extension/chat/promptView.js';
import { promptViews } from '../../src/extension/chat/pendingPrompts.js';
import { permissionOf } from '../core/request/permissionOf.js';

const surroundings = { agent: 'agentao', cwd: '/project', outsideTurn: false, folder: undefined };

test('a request is described once, and again only if its context changes', () => {
  let reads = 0;
  const request = permissionOf(
    {
      title: 'Edit',
      toolKind: 'edit',
      locations: [{ path: '/project/a.ts', line: 40 }],
      content: [
        {
          type: 'diff',
          path: '/project/a.ts',
          oldText: 'one',
          get newText() {
            reads++;
            return 'two';
          },
        },
      ],
    },
    { options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }] },
  );
  const draw = promptViews();
  const first = draw([[request, surroundings]]);
  const [view] = first;
  assert.ok(view?.kind === 'permission');
  const part = view.parts.find(({ type }) => type === 'diff');
  assert.ok(part?.type === 'diff');
  assert.equal(part.diff.firstLine, 40);
  const before = reads;
  assert.equal(draw([[request, { ...surroundings }]]), first);
  assert.equal(reads, before);
  assert.notEqual(draw([[request, { ...surroundings, outsideTurn: true }]]), first);
});

test('relative paths of a request open in its folder, whichever conversation is on screen', () => {
  const diff = { type: 'diff', path: 'b.ts', oldText: 'one', newText: 'two' } as const;
  const request = permissionOf({ title: 'Edit', toolKind: 'edit', rawInput: { path: 'a.ts' }, content: [diff] }, { options: [] });
  const pathsIn = (more: { readonly isServer?: true }): readonly string[] => {
    const [view] = promptViews()([[request, { ...surroundings, ...more }]]);
    const parts = view?.kind === 'permission' ? view.parts : [];
    return parts.flatMap((part) => (part.type === 'path' ? part.location.path : part.type === 'diff' ? part.diff.path : []));
  };
  assert.deepEqual(
    [pathsIn({}).toSorted(), pathsIn({ isServer: true }).toSorted()],
    [
      ['/project/a.ts', '/project/b.ts'],
      ['a.ts', 'b.ts'],
    ],
  );
});

test('a request of a server names no folder of this machine', () => {
  const request = permissionOf({ title: 'make', toolKind: 'execute' }, { options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }] });
  const contextIn = (more: { readonly isServer?: true }): readonly string[] => {
    const [view] = promptViews()([[request, { ...surroundings, ...more }]]);
    return view?.kind === 'permission' ? view.context : [];
  };
  assert.deepEqual([contextIn({}), contextIn({ isServer: true })], [[], ['on the server']]);
});

test('a request says where it runs only if that is not the folder of the conversation', () => {
  const shown = (cwd: string, more: { readonly folder?: string } = {}) => {
    const request = permissionOf(
      { title: 'make', toolKind: 'execute', rawInput: { command: 'make', cwd } },
      { options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }] },
    );
    const [view] = promptViews()([[request, { ...surroundings, ...more }]]);
    assert.ok(view?.kind === 'permission');
    assert.ok(view.details.some(({ label, text }) => label === 'Folder' && text === '/project'));
    const values = view.parts.flatMap((part) => (part.type === 'value' && part.label === 'Runs in' ? [part.text] : []));
    return [...values, ...view.context];
  };
  for (const cwd of ['/project', '.']) assert.deepEqual(shown(cwd), []);
  assert.deepEqual(shown('/elsewhere'), ['/elsewhere']);
  assert.deepEqual(shown('docs'), ['docs']);
  assert.deepEqual(shown('/project', { folder: 'api' }), ['in api']);
});

test('what is as in every request of its kind is among the details', () => {
  const of = (title: string, toolKind: 'execute' | 'read' | 'other', rawInput: object) => {
    const [view] = promptViews()([[permissionOf({ title, toolKind, rawInput }), surroundings]]);
    assert.ok(view?.kind === 'permission');
    return {
      shown: [view.toolTitle, ...view.parts.map((part) => (part.type === 'value' ? `${part.label}=${part.text}` : part.type))],
      details: view.details.map(({ label, text }) => `${label}=${text}`),
    };
  };
  const command = of('run_shell_command', 'execute', {
    command: 'npm test',
    is_background: false,
    sandbox: false,
    description: 'Runs the tests',
    timeout: 120_000,
    note: null,
    detach: true,
  });
  assert.deepEqual(command.shown, [undefined, 'text', 'sandbox=false', 'description=Runs the tests', 'detach=true']);
  assert.deepEqual(command.details.toSorted(), [
    'Folder=/project',
    'Tool=run_shell_command',
    'is_background=false',
    'note=null',
    'timeout=120000',
  ]);
  const isShown = (name: string, value: unknown): boolean =>
    of('run', 'execute', { command: 'make', [name]: value }).shown.some((part) => part?.startsWith(`${name}=`));
  const protections =
    'sandboxed safeMode security verify validate check confirm approval ask prompt dryRun ssl tls certificates signed restrict protect guard ' +
    'backup readOnly read_only';
  for (const name of protections.split(' ')) assert.ok(isShown(name, false), name);
  assert.ok(isShown('after_timeout', 1) && isShown('stream', true) && isShown('streams', 'false '));
  assert.ok(!isShown('Time_out', 1) && !isShown('stream', false) && !isShown('note', ''));
  assert.deepEqual(of('read_file', 'read', { path: 'src/a.ts' }).shown, [undefined, 'path']);
  assert.deepEqual(of('Read it all', 'read', { path: 'src/a.ts' }).shown, ['Read it all', 'path']);
  // Nothing else says what an unknown tool does, and `false` may mean anything.
  assert.deepEqual(of('mcp__db__query', 'other', { confirm: false, force: false }).shown, [
    'mcp__db__query',
    'confirm=false',
    'force=false',
  ]);
});

test('a digit means the same in every request', () => {
  const digits = (...kinds: readonly ('allow_once' | 'allow_always' | 'reject_once' | 'reject_always')[]) => {
    const options = kinds.map((kind, index) => ({ optionId: `${index}`, name: kind, kind }));
    const [view] = promptViews()([[permissionOf({ title: 'make', toolKind: 'execute' }, { options }), surroundings]]);
    assert.ok(view?.kind === 'permission');
    return view.options.map(({ digit, kind, isMore }) => `${digit} ${kind}${isMore === true ? ' …' : ''}`);
  };
  assert.deepEqual(digits('reject_once', 'allow_once'), ['1 Allow once', '3 Reject once']);
  assert.deepEqual(digits('allow_once', 'allow_always', 'reject_once', 'reject_always'), [
    '1 Allow once',
    '2 Always allow …',
    '3 Reject once',
    '4 Always reject …',
  ]);
  assert.deepEqual(digits('allow_always', 'allow_always', 'reject_always'), ['2 Always allow', '5 Always allow …', '4 Always reject']);
  // A question: its answers are no decisions of different kinds.
  assert.deepEqual(digits('allow_once', 'allow_once', 'reject_once'), ['1 Allow once', '2 Allow once', '3 Reject once']);
});

test("an option says its kind, and the agent's words where they say more", () => {
  const words = (kind: 'allow_once' | 'allow_always' | 'reject_once', name: string) => {
    const [view] = promptViews()([[permissionOf({ title: 'x' }, { options: [{ optionId: 'a', name, kind }] }), surroundings]]);
    return view?.kind === 'permission' ? view.options[0]?.name : undefined;
  };
  for (const name of ['Yes', 'Allow', 'Allow once', 'Approve', 'OK', 'Yes, proceed', 'Accept this time'])
    assert.equal(words('allow_once', name), undefined, name);
  for (const name of ['No', 'Reject', 'Deny', "Don't allow", 'Do not allow this'])
    assert.equal(words('reject_once', name), undefined, name);
  for (const name of ['Reject', 'Yes, and delete it', 'No', 'Skip']) assert.equal(words('allow_once', name), name);
  for (const name of ['Allow', 'Yes', 'No, and tell the agent what to do differently']) assert.equal(words('reject_once', name), name);
  assert.equal(words('allow_always', 'Yes, in this session'), 'Yes, in this session');
});

test('a change is shown in its file, and says when the file changes', () => {
  const change = { type: 'diff', path: 'b.ts', oldText: 'one', newText: 'two' } as const;
  const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }] as const;
  const request = permissionOf({ title: 'Edit', toolKind: 'edit', content: [change] }, { options });
  let file: FileText = { text: '1\n2\n3\n4\none\n' };
  let revision = 0;
  const draw = promptViews({
    get revision() {
      return revision;
    },
    textOf: (folder, path) => (folder === '/project' && path === '/project/b.ts' ? file : undefined),
  });
  const view = () => {
    const [drawn] = draw([[request, surroundings]]);
    return drawn?.kind === 'permission' ? drawn : assert.fail();
  };
  const first = view();
  const [part] = first.parts;
  assert.ok(part?.type === 'diff');
  assert.deepEqual([part.diff.firstLine, part.diff.oldText, part.diff.newText], [2, '2\n3\n4\none\n', '2\n3\n4\ntwo\n']);
  file = { text: '1\n2\n3\n4\none\n\n\n\n\nfar away\n' };
  revision++;
  assert.notEqual(view().drawn, first.drawn);
  assert.match(view().note ?? '', /^The file has changed since the agent asked\.$/);
  file = { text: '1\n2\n3\n4\none\n' };
  revision++;
  assert.deepEqual(view(), first, 'what the agent asked about is back');
  file = { text: '1\n2\n3\n4\none\n', isUnsaved: true, saved: 'one\n' };
  revision++;
  assert.deepEqual(view().unsaved, { text: 'b.ts has unsaved changes', files: [{ path: '/project/b.ts', label: 'b.ts' }], allows: 'yes' });
  assert.deepEqual([view().options[0]?.kind, view().options[0]?.digit], ['Allow Anyway', 1]);
});

test('the tab decides about a change only if its prompt says nothing else about it', () => {
  const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }] as const;
  const change = { type: 'diff', path: 'b.ts', oldText: 'one', newText: 'one\ntwo' } as const;
  const request = permissionOf({ title: 'Edit', toolKind: 'edit', content: [change] }, { options });
  const decides = (file: FileText) => editOf(request, surroundings, () => file)?.options !== undefined;
  assert.equal(decides({ text: 'zero\none\n' }), true);
  assert.equal(decides({ text: 'zero\none\ntwo\n' }), false, 'the file already has the new text there');
  assert.equal(decides({ text: 'mine\n', isUnsaved: true, saved: 'one\n' }), false, 'fits the saved file only');
});
