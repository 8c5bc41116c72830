/** A patch in the input of a call is shown as what it does to each file. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { describePermission } from '../../../src/core/request/describePermission.js';
import { filesOfPatch, type PatchedFile } from '../../../src/core/request/patchText.js';
import type { PermissionSubject } from '../../../src/core/session/userRequest.js';
import { assertLinear } from '../../linearTime.js';
import { permissionOf } from './permissionOf.js';

const texts: Readonly<Record<string, string>> = { '/project/a.txt': 'one\ntwo\nthree\n', '/project/b.txt': 'b\n' };
const folder = { cwd: '/project', behindLinks: () => undefined, textOf: (path: string) => ({ text: texts[path] ?? null }) };
const described = (subject: Partial<PermissionSubject>) => describePermission(permissionOf(subject), folder);
const patch = (...lines: readonly string[]): string => ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n');

describe('a request with a patch', () => {
  for (const [where, inputOf] of [
    ['a member of the input', (text: string) => ({ input: text })],
    ['the input itself', (text: string) => text],
  ] as const)
    it(`in ${where} shows each change in its file, and what the files become`, () => {
      const { subject, parts, files, risks } = described({
        rawInput: inputOf(
          patch(
            '*** Update File: a.txt',
            '@@',
            ' one',
            '-two',
            '+TWO',
            '@@ the end',
            '+four',
            '*** Add File: /project/new/c.txt',
            '+c',
            '*** Update File: b.txt',
            '*** Move to: ../outside.txt',
          ),
        ),
      });
      assert.deepEqual(subject, { code: 'edit', params: { files: 4 } });
      assert.deepEqual(
        parts.map((part) => (part.type === 'diff' ? [part.label, part.placed?.fit.type, part.change.newText] : [part.type])),
        [['title'], ['a.txt', 'part', 'one\nTWO\n'], ['a.txt', 'part', 'four\n'], ['new/c.txt', 'new', 'c\n'], ['move']],
      );
      assert.deepEqual(
        files.map(({ label, after }) => [label, after]),
        [
          ['a.txt', 'one\nTWO\nthree\nfour\n'],
          ['new/c.txt', 'c\n'],
        ],
      );
      assert.deepEqual(risks, [{ code: 'outside_folder', params: { paths: [{ path: '../outside.txt' }] } }]);
    });

  it('that deletes a file says so, and shows the patch', () => {
    const text = patch('*** Delete File: .env');
    const { parts, risks } = described({ rawInput: { patch: text } });
    assert.deepEqual(parts.slice(1), [
      { type: 'path', line: undefined, path: '.env', label: '.env' },
      { type: 'argument', name: 'patch', text },
    ]);
    assert.deepEqual(
      risks.map(({ code }) => code),
      ['secrets', 'deletes'],
    );
  });

  it('that the agent shows as changes already, or that has a line of another form, is shown as it is', () => {
    const text = patch('*** Update File: a.txt', '@@', '-two', '+TWO');
    const own = { type: 'diff', path: 'a.txt', oldText: 'one\n', newText: 'ONE\n' } as const;
    const types = (subject: Partial<PermissionSubject>) => described(subject).parts.map(({ type }) => type);
    assert.deepEqual(types({ rawInput: { input: text }, content: [own] }), ['title', 'diff', 'argument']);
    assert.deepEqual(types({ rawInput: { input: `curl evil\n${text}` } }), ['title', 'argument']);
    assert.deepEqual(types({ rawInput: { input: text.replace('-two', '*two') } }), ['title', 'argument']);
  });
});

describe('a patch', () => {
  const line = fc.string({ unit: fc.constantFrom('a', ' ', '+', '-', '*', '@'), maxLength: 5 });
  const textOf = (lines: readonly string[]): string => lines.map((one) => `${one}\n`).join('');
  const name = fc.constantFrom('a', 'b c', '/d', '../e');

  it('has every line of its changes in its files', () => {
    const change = fc.record({ sign: fc.constantFrom('+', '-', ' '), line });
    const file = fc.oneof(
      fc.record({ type: fc.constant('added' as const), path: name, lines: fc.array(line) }),
      fc.record({ type: fc.constant('deleted' as const), path: name }),
      fc.record({
        type: fc.constant('updated' as const),
        path: name,
        hunks: fc.array(fc.array(change, { minLength: 1 }), { minLength: 1 }),
      }),
    );
    fc.assert(
      fc.property(fc.array(file, { minLength: 1 }), (all) => {
        const lines = all.flatMap((one) => {
          switch (one.type) {
            case 'added':
              return [`*** Add File: ${one.path}`, ...one.lines.map((text) => `+${text}`)];
            case 'deleted':
              return [`*** Delete File: ${one.path}`];
            case 'updated':
              return [
                `*** Update File: ${one.path}`,
                ...one.hunks.flatMap((hunk) => ['@@', ...hunk.map(({ sign, line: text }) => sign + text)]),
              ];
          }
        });
        const expected = all.map((one): PatchedFile => {
          if (one.type === 'added') return { type: 'added', path: one.path, text: textOf(one.lines) };
          if (one.type === 'deleted') return { type: 'deleted', path: one.path };
          const without = (hunk: (typeof one.hunks)[number], sign: string) =>
            textOf(hunk.flatMap((part) => (part.sign === sign ? [] : [part.line])));
          const hunks = one.hunks.map((hunk) => ({ oldText: without(hunk, '+'), newText: without(hunk, '-') }));
          return { type: 'updated', path: one.path, hunks };
        });
        assert.deepEqual(filesOfPatch(patch(...lines)), expected);
      }),
    );
  });

  it('is read in linear time', async () => {
    const many = (count: number) =>
      patch(...Array.from({ length: count }, (_, index) => [`*** Update File: ${index}`, '@@', '-a', '+b']).flat());
    await assertLinear((count) => {
      const text = many(count);
      return () => filesOfPatch(text);
    });
  });
});
