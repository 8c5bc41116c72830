/** A tool call in the chat: the row briefly says what is done to what; the details have the full text. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ToolItemView } from '../../src/contract/view.js';
import type { ToolPatch } from '../../src/core/index.js';
import { draw, sessionOf, start, turn } from './drawnChat.js';

const folder = '/home/me/project';

function card(patch: ToolPatch): ToolItemView {
  const item = draw({ session: sessionOf(turn, { type: 'tool', at: start, id: 'c1', toolCallId: 'c1', patch }) }).view.items[1];
  assert.ok(item?.kind === 'tool');
  return item;
}

describe('the row of a tool call', () => {
  it('a command is shown without its shell, and the details have all of it', () => {
    const forms: readonly ToolPatch[] = [
      { title: 'shell', toolKind: 'execute', rawInput: { command: "/bin/bash -lc 'npm test'" } },
      { title: 'shell', toolKind: 'execute', rawInput: { command: ['bash', '-lc', 'npm test'], cwd: folder } },
    ];
    for (const patch of forms) {
      const { verb, target, input, rawInput = '' } = card(patch);
      assert.deepEqual([verb, target, input], ['Run', 'npm test', 'npm test']);
      assert.match(rawInput, /bash[\s\S]*-lc/);
    }
    const titled = card({ title: "/bin/bash -lc 'npm test'", toolKind: 'execute' });
    assert.deepEqual([titled.title, titled.target, titled.input], ['npm test', 'npm test', "/bin/bash -lc 'npm test'"]);
  });

  it('files are relative to the folder, also in the title and in changes', () => {
    const read = card({ title: `Read ${folder}/src/a.ts`, toolKind: 'other' });
    assert.deepEqual([read.verb, read.title], ['Read src/a.ts', 'Read src/a.ts']);
    const edit = card({
      title: 'edit',
      toolKind: 'edit',
      content: [{ type: 'diff', path: `${folder}/src/a.ts`, oldText: 'a', newText: 'b' }],
    });
    assert.deepEqual([edit.verb, edit.target], ['Edit', 'src/a.ts']);
    const created = { type: 'diff', path: `${folder}/new.ts`, newText: 'b' } as const;
    assert.equal(card({ title: 'edit', toolKind: 'edit', content: [created, { ...created, oldText: null }] }).verb, 'Create');
    assert.equal(card({ title: 'edit', toolKind: 'edit', content: [created, { ...created, oldText: 'a' }] }).verb, 'Edit');
    assert.equal(card({ title: 'rm', toolKind: 'delete', locations: [{ path: `${folder}/old.ts` }] }).verb, 'Delete');
    assert.equal(card({ title: 'x', toolKind: 'read', rawInput: { file_path: '/etc/hosts' } }).target, '/etc/hosts');
  });

  it('the folder itself is named', () => {
    assert.equal(card({ title: 'list', toolKind: 'read', rawInput: { path: folder } }).target, 'project');
    assert.equal(card({ title: 'list', toolKind: 'read', locations: [{ path: folder }] }).target, 'project');
  });

  it('a call that starts a sub-agent names it and its task', () => {
    const prompt = 'Read all of src, and report.';
    const forms: readonly (readonly [ToolPatch, string])[] = [
      [
        { title: 'Task', toolKind: 'think', rawInput: { description: 'Find the bug', prompt, subagent_type: 'Explore' } },
        'Explore: Find the bug',
      ],
      [{ title: 'Look around', toolKind: 'other', rawInput: { prompt, subagent_type: 'general' } }, 'general: Look around'],
      [{ title: 'task', toolKind: 'other', rawInput: { description: '\u001b[1mBold\nNext', subagent_type: 'a\nb' } }, 'a: Bold'],
      [{ title: 'agent_investigator', toolKind: 'other', rawInput: { task: 'Look at a.txt\nand b.txt' } }, 'investigator: Look at a.txt'],
    ];
    for (const [patch, expected] of forms) {
      const { verb, target, rawInput } = card(patch);
      assert.deepEqual([verb, target], ['Sub-agent', expected]);
      assert.ok(rawInput !== undefined);
    }
    assert.equal(card({ title: 'agent_of_change', toolKind: 'other', rawInput: { text: 'x' } }).verb, 'agent_of_change');
    assert.equal(card({ title: 'x', toolKind: 'other', rawInput: { subagent_type: 7 } }).verb, 'x');
  });

  it('a call of a sub-agent names the sub-agent', () => {
    const rows: readonly (readonly [ToolPatch, string, string | undefined])[] = [
      [{ title: '[scout 1/100] read_file', toolKind: 'read', rawInput: { file_path: 'a.txt' } }, 'Read · scout', 'a.txt'],
      [{ title: '[scout 2/100] run', toolKind: 'execute', rawInput: { command: 'ls' } }, 'Run · scout', 'ls'],
      [{ title: '[scout 3/100] complete_task', toolKind: 'other', rawInput: { result: 'x' } }, 'complete_task · scout', undefined],
      [{ title: '[link](1/2) x', toolKind: 'other' }, '[link](1/2) x', undefined],
    ];
    for (const [patch, verb, target] of rows) {
      const row = card(patch);
      assert.deepEqual([row.verb, row.target], [verb, target]);
      // The page shows the title in the place of a missing target, unless the verb has it.
      if (target === undefined) assert.equal(row.title, verb);
    }
  });

  it('a call that waits for an answer of the user says so', () => {
    const running = { type: 'tool', at: start, id: 'c1', toolCallId: 'c1', patch: { title: 'ask_user', status: 'in_progress' } } as const;
    const request = { kind: 'form', id: 'r', sessionId: 's', at: start, message: 'Which one?', fields: [] } as const;
    const asked = sessionOf(turn, running, { type: 'request_opened', at: start, request });
    const statusOf = (session: typeof asked): unknown =>
      draw({ session }).view.items.flatMap((item) => (item.kind === 'tool' ? item.statusText : []));
    assert.deepEqual(statusOf(asked), ['needs input']);
    const answer = { type: 'accept', values: {} } as const;
    const answered = sessionOf(
      turn,
      running,
      { type: 'request_opened', at: start, request },
      { type: 'request_closed', at: start, requestId: 'r', answer },
    );
    assert.deepEqual(statusOf(answered), ['running']);
  });

  it('a rejected call has the reason once, without tags for models', () => {
    const text = 'The user does not want to proceed.';
    const { status, statusText, output, rawOutput } = card({
      title: 'Write a.txt',
      toolKind: 'edit',
      status: 'rejected',
      content: [{ type: 'content', content: { type: 'text', text: `\`\`\`\n${text}\n\`\`\`` } }],
      rawOutput: `<tool_use_error>${text}</tool_use_error>`,
    });
    assert.deepEqual([status, statusText, output, rawOutput], ['rejected', 'rejected', text, undefined]);
  });
});
