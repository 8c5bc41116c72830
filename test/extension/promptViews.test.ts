import assert from 'node:assert/strict';
import { test } from 'node:test';
import { promptViews } from '../../src/extension/chat/promptViews.js';
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
  assert.deepEqual([contextIn({}), contextIn({ isServer: true })], [['in /project'], ['on the server']]);
});

test('the folder of a command is shown once', () => {
  const contextOf = (cwd: string): readonly string[] => {
    const request = permissionOf(
      { title: 'make', toolKind: 'execute', rawInput: { command: 'make', cwd } },
      { options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }] },
    );
    const [view] = promptViews()([[request, surroundings]]);
    assert.ok(view?.kind === 'permission');
    assert.deepEqual(
      view.parts.flatMap((part) => (part.type === 'value' && part.label === 'Runs in' ? [part.text] : [])),
      [cwd],
    );
    return view.context;
  };
  assert.deepEqual([contextOf('/project'), contextOf('/elsewhere'), contextOf('docs')], [[], [], ['in /project']]);
});
