/** A permission at a terminal shows everything, and nothing that the agent wrote looks like the host's text. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { openDialog } from '../../src/cli/input/requestDialog.js';
import { paintFor } from '../../src/cli/output/terminalText.js';
import type { PermissionRequest } from '../../src/core/index.js';
import { anyPermission, marksIn } from '../core/request/arbitraryPermissions.js';
import { permissionOf } from '../core/request/permissionOf.js';

function shown(request: PermissionRequest, columns = 100): string {
  const dialog = openDialog(request, { paint: paintFor(false), agentLabel: 'agent', cwd: '/project', columns: () => columns });
  const more = dialog.typed('a');
  return `${dialog.text}\n${more !== undefined && more.type === 'more' ? (more.text ?? '') : ''}`.trimEnd();
}

/** Joins wrapped lines. */
const unwrapped = (text: string): string => text.replace(/\n {2,4}│ /g, '');

describe('a permission in a terminal', () => {
  it('every word of the request is shown, at once or on demand', () => {
    fc.assert(
      fc.property(anyPermission, (request) => {
        const text = unwrapped(shown(request));
        for (const mark of marksIn(request)) assert.ok(text.includes(mark), `${mark} in ${text}`);
      }),
    );
  });

  it('text of the agent stays behind its bar at every width', () => {
    const ours =
      /^(?:\? agent asks for permission: .*| {2}!(?: .*)?| {2}\d+ {2}(?:Allow once|Always allow|Reject once|Always reject|Unknown kind)\b.*| {2}r TEXT(?: {2}(?:Tell the agent what to do|Do this) instead)?| {2,4}│ .*)$/u;
    fc.assert(
      fc.property(anyPermission, fc.integer({ min: 40, max: 160 }), (request, columns) => {
        const lines = shown(request, columns).split('\n');
        for (const line of lines) {
          assert.match(line, ours);
          if (/[⟦│]/u.test(line)) assert.ok(width(line) <= columns, `${width(line)} of ${columns}: ${line}`);
          assert.doesNotMatch(line, /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u);
        }
        const numbers = lines.flatMap((line) => (/^ {2}\d+ {2}/.test(line) ? [Number.parseInt(line, 10)] : []));
        // A long request shows its options again below the rest of it.
        const each = numbers.slice(0, request.options.length);
        assert.equal(new Set(each).size, request.options.length);
        assert.ok(
          [each, [...each, ...each]].some((listed) => isDeepStrictEqual(numbers, listed)),
          String(numbers),
        );
      }),
    );
  });

  it('a very long command is shown on demand, and the prompt says that there is more', () => {
    const lines = Array.from({ length: 200 }, (_, index) => `echo ${index}`);
    const subject = {
      itemId: undefined,
      toolCallId: 'c',
      title: 'Bash',
      toolKind: 'execute',
      rawInput: { command: lines.join('\n') },
      content: [],
      locations: [],
    } as const;
    const request: PermissionRequest = {
      kind: 'permission',
      id: 'r',
      sessionId: 's',
      at: 0,
      subject,
      options: [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }],
    };
    const dialog = openDialog(request, { paint: paintFor(false), agentLabel: 'agent', cwd: '/project' });
    assert.match(dialog.text, /141 more lines are not shown yet\. Type a to show them\./);
    assert.match(dialog.prompt(), /a to show 141 more lines/);
    const rest = dialog.typed('a');
    assert.ok(rest?.type === 'more');
    assert.match(rest.text ?? '', /echo 199\n[^]*1 {2}Allow once$/m, 'the options have moved out of sight, so they are shown again');
    assert.doesNotMatch(dialog.prompt(), /more lines/);
    assert.equal(dialog.typed('a'), undefined);
  });

  it('a request can be rejected with words', () => {
    const subject = {
      itemId: undefined,
      toolCallId: 'c',
      title: 'Run',
      toolKind: 'execute',
      rawInput: { command: 'ls' },
      content: [],
      locations: [],
    } as const;
    const options = [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }] as const;
    const request: PermissionRequest = { kind: 'permission', id: 'r', sessionId: 's', at: 0, subject, options };
    const dialog = openDialog(request, { paint: paintFor(false), agentLabel: 'agent', cwd: '/project' });
    assert.match(dialog.text, /^ {2}r TEXT {2}Tell the agent what to do instead$/m);
    assert.match(shown(request, 20), /^ {2}r TEXT {2}Instead$/m);
    assert.deepEqual(dialog.typed(' r use git mv '), { type: 'instead', feedback: 'use git mv' });
    for (const line of ['r', 'reject', 'right']) assert.equal(dialog.typed(line), undefined);
  });

  it('a change is shown with its lines in the file, and is not allowed after the file has changed', () => {
    const file = (first: number): string => Array.from({ length: 20 }, (_, index) => `line ${first + index}\n`).join('');
    let text = file(1);
    const content = [{ type: 'diff', path: 'a.txt', oldText: 'line 9\n', newText: 'nine\n' }] as const;
    const request = permissionOf(
      { toolKind: 'edit', content },
      {
        options: [
          { optionId: 'y', name: 'Yes', kind: 'allow_once' },
          { optionId: 'n', name: 'No', kind: 'reject_once' },
        ],
      },
    );
    const parts = { paint: paintFor(false), agentLabel: 'agent', cwd: '/project', files: { peekNow: () => text } };
    const dialog = openDialog(request, parts);
    assert.match(
      dialog.text,
      /│ a\.txt\n {2}│ {2}6 {2}line 6\n {2}│ {2}7 {2}line 7\n {2}│ {2}8 {2}line 8\n {2}│ {2}9 -line 9\n {2}│ {2}9 \+nine\n {2}│ 10 {2}line 10\n/,
    );
    assert.deepEqual(dialog.typed('1'), { type: 'accept', values: { option: 'y' } });
    text = file(5);
    assert.deepEqual(dialog.typed('1'), { type: 'changed' });
    assert.deepEqual(dialog.typed('3'), { type: 'accept', values: { option: 'n' } });
    assert.match(openDialog(request, parts).text, / 5 -line 9\n/);
    text = 'line 9\nline 9\n';
    assert.match(openDialog(request, parts).text, /│ Fits in 2 places: lines 1, 2\n {2}│ -line 9\n {2}│ \+nine\n/);
  });
});

/** The widths in a terminal that shows everything but Latin scripts in two columns. */
function width(line: string): number {
  return [...line].reduce((sum, character) => sum + (character === '│' || (character.codePointAt(0) ?? 0) < 0x1100 ? 1 : 2), 0);
}
