/** The output and the exit of commands, in every form in which agents report them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toolItemView } from '../../../src/extension/chat/toolView.js';
import { paintFor } from '../../../src/cli/output/terminalText.js';
import { ToolLines } from '../../../src/cli/output/toolLines.js';
import { standardQuirks } from '../../../src/core/agents/standardQuirks.js';
import { AcpProjection } from '../../../src/core/backends/acp/acpProjection.js';
import { parseEvent } from '../../../src/core/journal/eventSchema.js';
import { feed, type Fed, output } from './feed.js';

const call = { title: 'Run', kind: 'execute', rawInput: { command: 'npm test' }, status: 'in_progress' };

/** The lines about the last tool call in a terminal. */
function linesOf(fed: Fed): readonly string[] {
  const id = fed.tools().at(-1)?.id;
  const lines: string[] = [];
  const toolLines = new ToolLines({
    cwd: '/workspace',
    agent: { label: 'Agent' },
    paint: paintFor(false),
    write: (line) => lines.push(line),
  });
  for (const event of fed.events) if (event.type === 'tool' && event.id === id) toolLines.add(event);
  toolLines.end();
  return lines;
}

/** What users see of the last tool call, on the page and in a terminal. */
function seen(fed: Fed) {
  const tool = fed.tools().at(-1);
  assert.ok(tool);
  const { status, statusText, output: shown } = toolItemView(tool, tool.id, { cwd: '/workspace', agent: 'Agent' });
  return { page: [status, statusText, shown], line: linesOf(fed).at(-1) };
}

test('why a tool failed is shown, whatever its kind, if only the raw output says so', () => {
  for (const [kind, rawOutput, reason] of [
    ['read', 'No such file', 'No such file'],
    ['edit', { success: false, error: { message: 'No match', code: 3 } }, 'No match'],
    ['fetch', { content: [{ type: 'text', text: '404' }], isError: true }, '404'],
    ['execute', { error: { message: 'Not allowed' } }, 'Not allowed'],
  ] as const) {
    const fed = feed(standardQuirks);
    fed.turn('t1');
    fed.tool('tool_call', 'c', { ...call, kind });
    fed.tool('tool_call_update', 'c', { status: 'failed', rawOutput });
    const { page } = seen(fed);
    assert.deepEqual([page[0], page[2]], ['failed', reason], kind);
  }
});

test('why an edit failed stands below what it would have changed', () => {
  const fed = feed({ ...standardQuirks, announcedEdit: () => ({ type: 'hunk', path: 'a.txt', oldText: 'old', newText: 'new' }) });
  fed.turn('t1');
  fed.tool('tool_call', 'c', { ...call, kind: 'edit' });
  fed.tool('tool_call_update', 'c', { status: 'failed', rawOutput: 'No match' });
  assert.deepEqual(
    fed
      .tools()
      .at(-1)
      ?.content.map((part) => part.type),
    ['diff', 'content'],
  );
});

test('a call that turns out to have failed after it was completed is told again, once', () => {
  for (const [more, line] of [
    [{ status: 'failed' }, '✗ Run npm test: out'],
    [{ rawOutput: { exitCode: 7 } }, '✗ Run npm test: exit code 7'],
    [{ title: 'Run again' }, undefined],
  ] as const) {
    const fed = feed(standardQuirks);
    fed.turn('t1');
    fed.tool('tool_call', 'c', call);
    fed.tool('tool_call_update', 'c', { status: 'completed', ...output('out') });
    fed.tool('tool_call_update', 'c', more);
    fed.tool('tool_call_update', 'c', more);
    assert.deepEqual(linesOf(fed).slice(1), line === undefined ? [] : [line]);
  }
});

test('what a tool read stays in its raw output', () => {
  const fed = feed(standardQuirks);
  fed.turn('t1');
  fed.tool('tool_call', 'c', { ...call, kind: 'read' });
  fed.tool('tool_call_update', 'c', { status: 'completed', rawOutput: 'a file' });
  assert.deepEqual(seen(fed).page, ['completed', 'done', undefined]);
});

describe('an exit code in the raw output', () => {
  for (const [form, rawOutput] of Object.entries({
    exitCode: { exitCode: 7 },
    exit_code: { exit_code: 7, stdout: 'x' },
    'metadata.exit': { output: 'x', metadata: { exit: 7 } },
    'contents[].exitCode': { contents: [{ type: 'text', text: 'x' }, { exitCode: 7 }] },
    'result.exit_code': { result: { exit_code: 7 } },
  }))
    test(`${form}: a command with exit code 7 does not appear successful`, () => {
      const fed = feed(standardQuirks);
      fed.turn('t1');
      fed.tool('tool_call', 'c', call);
      fed.tool('tool_call_update', 'c', { status: 'completed', rawOutput, ...output('out') });
      assert.deepEqual(seen(fed), { page: ['failed', 'exit code 7', 'out'], line: '✗ Run npm test: exit code 7' });
      assert.deepEqual(fed.tools()[0]?.status, 'completed', 'the agent said so');
    });

  test('exit code 0, no exit code, or that of another tool is not shown', () => {
    for (const [kind, rawOutput] of [
      ['execute', { exitCode: 0 }],
      ['execute', { exitCode: '7', exit: 1.5, contents: 'x' }],
      ['search', { exitCode: 1 }],
    ] as const) {
      const fed = feed(standardQuirks);
      fed.turn('t1');
      fed.tool('tool_call', 'c', { ...call, kind });
      fed.tool('tool_call_update', 'c', { status: 'completed', rawOutput, ...output('out') });
      assert.deepEqual(seen(fed), { page: ['completed', 'done', 'out'], line: '✓ Run npm test' });
    }
  });
});

describe('output that is only in the raw output', () => {
  for (const [form, rawOutput] of Object.entries({
    text: 'out',
    formatted_output: { formatted_output: 'out', stdout: 'no' },
    aggregated_output: { aggregated_output: 'out' },
    output: { output: 'out' },
    stdout: { stdout: 'out', stderr: '' },
  }))
    test(`${form}: the output is shown`, () => {
      const fed = feed(standardQuirks);
      fed.turn('t1');
      fed.tool('tool_call', 'c', call);
      fed.tool('tool_call_update', 'c', { status: 'completed', rawOutput });
      assert.deepEqual(seen(fed).page, ['completed', 'done', 'out']);
    });
});

describe("the agent's own terminal", () => {
  function told(...metas: readonly Record<string, unknown>[]): Fed {
    const fed = feed(standardQuirks);
    fed.turn('t1');
    fed.tool('tool_call', 'c', {
      ...call,
      content: [{ type: 'terminal', terminalId: 'term' }],
      _meta: { terminal_info: { terminal_id: 'term', cwd: '/' } },
    });
    for (const _meta of metas) fed.tool('tool_call_update', 'c', { _meta });
    fed.tool('tool_call_update', 'c', { status: 'completed', content: [{ type: 'terminal', terminalId: 'term' }] });
    return fed;
  }

  test('its output is shown with the exit code', () => {
    const fed = told(
      { terminal_output: { terminal_id: 'term', data: 'one\n' } },
      { terminal_output_delta: { terminal_id: 'term', data: 'two\n' } },
      { terminal_exit: { terminal_id: 'term', exit_code: 7, signal: null } },
    );
    assert.deepEqual(seen(fed), { page: ['failed', 'exit code 7', 'one\ntwo\n'], line: '✗ Run npm test: exit code 7' });
    const saved = fed.events.map((event) => parseEvent(JSON.parse(JSON.stringify({ ...event, meta: undefined }))));
    assert.deepEqual(
      saved.flatMap((event) => (event?.type === 'tool' ? [event.patch] : [])),
      fed.events.flatMap((event) => (event.type === 'tool' ? [event.patch] : [])),
    );
  });

  test('an agent that also names what it adds replaces the output with the other name, as long as the command runs and afterwards', () => {
    const data = (name: string, text: string): Record<string, unknown> => ({ [name]: { terminal_id: 'term', data: text } });
    const replaced = [
      data('terminal_output_delta', 'Running in background'),
      data('terminal_output', 'one\n'),
      data('terminal_output_delta', 'two\n'),
    ];
    assert.equal(seen(told(...replaced)).page[2], 'one\ntwo\n');
    const fed = told(...replaced, data('terminal_output', 'new file\n'));
    assert.equal(seen(fed).page[2], 'new file\n');
    fed.tool('tool_call_update', 'c', { _meta: data('terminal_output_delta', 'later\n') });
    assert.equal(seen(fed).page[2], 'new file\nlater\n');
    assert.equal(seen(told(data('terminal_output_delta', 'Running in background'), data('terminal_output', ''))).page[2], undefined);
  });

  test('its end by a signal is shown', () => {
    const fed = told({ terminal_exit: { terminal_id: 'term', exit_code: null, signal: 'SIGKILL' } });
    assert.deepEqual(seen(fed).page.slice(0, 2), ['failed', 'terminated by SIGKILL']);
  });

  test('a terminal without an id that the content does not name belongs to the call', () => {
    const fed = feed(standardQuirks);
    fed.turn('t1');
    fed.tool('tool_call', 'c', call);
    fed.tool('tool_call_update', 'c', {
      _meta: { terminal_output: { data: 'out' }, terminal_exit: { exit_code: 0 } },
      status: 'completed',
    });
    assert.deepEqual(seen(fed).page, ['completed', 'done', 'out']);
  });

  test('long output keeps its beginning and its end', () => {
    const fed = told(
      ...Array.from({ length: 300 }, (_, index) => ({ terminal_output: { terminal_id: 'term', data: `${index} ${'x'.repeat(1_000)}\n` } })),
    );
    const text = String(seen(fed).page[2]);
    assert.ok(text.length < 90_000 && text.startsWith('0 x') && text.endsWith('x\n') && text.includes('299 x'));
  });

  test('programs get its output as the agent sent it', () => {
    const fed = told({ terminal_output: { terminal_id: 'term', data: 'one' } });
    const projection = new AcpProjection();
    const updates = fed.events.flatMap((event) => projection.project(event));
    assert.deepEqual(updates[1], {
      sessionUpdate: 'tool_call_update',
      toolCallId: 'c',
      content: [{ type: 'terminal', terminalId: 'term' }],
      _meta: { terminal_output: { terminal_id: 'term', data: 'one' } },
    });
  });

  test('invalid terminal metadata is ignored', () => {
    const fed = told(
      { terminal_output: 7, terminal_exit: [], terminal_output_delta: { terminal_id: 'term' } },
      { terminal_exit: { terminal_id: 'term', exit_code: 'seven' } },
    );
    assert.deepEqual(seen(fed).page.slice(0, 2), ['completed', 'done']);
  });
});
