/** What is special about agentao, in the current version and in older ones. test/fixtures contains recordings of 0.5.17. */
import assert from 'node:assert/strict';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import { AcpOptions } from '../../../src/core/backends/acp/acpOptions.js';
import { choicesOf, MODE_OPTION_ID, selectOf } from '../../../src/core/session/sessionOption.js';
import { toCallError, toResumeError } from '../../../src/core/backends/acp/acpCalls.js';
import { diffOfWrite } from '../../../src/core/backends/acp/features/permission.js';
import { agentaoQuirks } from '../../../src/core/agents/agentao/agentaoQuirks.js';
import { acpQuirksOf } from '../../../src/core/agents/knownAgents.js';
import { standardQuirks } from '../../../src/core/agents/standardQuirks.js';
import { requests } from '../../../src/core/backends/acp/schema/methods.js';
import { Redactor } from '../../../src/core/base/redact.js';
import { createFileAccess } from '../../../src/core/services/files.js';
import { toRequestError } from '../../../src/core/rpc/failureReason.js';
import { diff, feed, output, text } from '../backends/feed.js';
import { readRecording } from '../backends/replay.js';

const newest = agentaoQuirks('0.5.17');
const old = agentaoQuirks('0.4.20');

function fail(quirks: typeof newest, code: number, message: string, data?: unknown) {
  return toCallError(toRequestError('session/prompt', { code, message, ...(data === undefined ? {} : { data }) }), {
    quirks,
    redactor: new Redactor(),
    authMethods: [],
  });
}

describe('quirks are chosen by name and version', () => {
  const facts = (name: string, version: string): readonly boolean[] => {
    const { toolContentAppends, asksBeforeToolCall, repeatsTextAsThought } = acpQuirksOf({ name, version });
    return [toolContentAppends, asksBeforeToolCall, repeatsTextAsThought];
  };
  const cases: readonly (readonly [string, readonly boolean[]])[] = [
    ['0.4.20', [true, true, true]],
    ['0.4.20.dev0', [true, true, true]],
    ['0.5.3', [true, true, true]],
    ['0.5.4', [false, true, true]],
    ['0.5.5', [false, false, true]],
    ['0.5.14', [false, false, true]],
    ['0.5.15', [false, false, false]],
    ['0.5.17', [false, false, false]],
    ['0.10.0', [false, false, false]],
    ['1.0.0', [false, false, false]],
    ['', [false, false, false]],
    ['unknown', [false, false, false]],
  ];
  for (const [version, expected] of cases)
    test(version === '' ? 'no version' : version, () => assert.deepEqual(facts('agentao', version), expected));
  test('another agent with the same version has the standard quirks', () =>
    assert.equal(acpQuirksOf({ name: 'other', version: '0.4.20' }), standardQuirks));
  test('an agent that does not report its name has the standard quirks', () => assert.equal(acpQuirksOf(null), standardQuirks));
});

describe('agentao 0.5.17', () => {
  test('a failed model call has its own error code and the message of the provider, without the key', () => {
    const error = fail(newest, -32603, '[LLM API error: Error code: 401 - bad key sk-FAKE0123456789]', { reason: 'llm_error' });
    assert.equal(error.code, 'provider_failed');
    assert.equal(error.params.detail, 'Error code: 401 - bad key [redacted]');
    assert.ok(!JSON.stringify(error.toData()).includes('sk-FAKE0123456789'));
    assert.equal(error.cause, undefined, 'a cause would carry the key into the log');
  });

  test('any other error with code -32603, or from another agent, is request_failed', () => {
    assert.equal(fail(newest, -32603, 'Agentao LLM configuration error: LLM_TEMPERATURE is not a valid number').code, 'request_failed');
    assert.equal(fail(standardQuirks, -32603, '[LLM API error: x]', { reason: 'llm_error' }).code, 'request_failed');
  });

  test('a completed edit or command has a caveat; a read or a failed edit has none', () => {
    const fed = feed(newest);
    fed.turn('t1');
    for (const [id, title, kind, status] of [
      ['a', 'replace', 'edit', 'completed'],
      ['b', 'run_shell_command', 'execute', 'completed'],
      ['c', 'read_file', 'read', 'completed'],
      ['d', 'replace', 'edit', 'failed'],
    ] as const) {
      fed.tool('tool_call', id, { title, kind, status: 'pending', rawInput: {} });
      fed.tool('tool_call_update', id, { status });
    }
    assert.deepEqual(
      fed.tools().map(({ caveat }) => caveat),
      ['change_unconfirmed', 'exit_code_unreported', undefined, undefined],
    );
  });

  test('an update without a status keeps the status, can change the title, and removes the content with []', () => {
    const fed = feed(newest);
    fed.turn('t1');
    fed.tool('tool_call', 'a', { title: 'run_shell_command', kind: 'execute', status: 'in_progress', ...output('one') });
    fed.tool('tool_call_update', 'a', { title: 'renamed', content: [], schema_version: 1 });
    assert.deepEqual(
      fed.tools().map(({ title, status, content }) => [title, status, content]),
      [['renamed', 'in_progress', []]],
    );
  });

  test('the content of an update replaces the earlier content', () => {
    const fed = feed(newest);
    fed.turn('t1');
    fed.tool('tool_call', 'a', { title: 'run_shell_command', kind: 'execute' });
    fed.tool('tool_call_update', 'a', { status: 'in_progress', ...output('one\n') });
    fed.tool('tool_call_update', 'a', { status: 'completed', ...output('one\ntwo\n') });
    assert.deepEqual(fed.tools()[0]?.content, output('one\ntwo\n')['content']);
  });

  test('a second tool_call with a known ID is a separate call, even while the first one is open', () => {
    const fed = feed(newest);
    fed.turn('t1');
    fed.tool('tool_call', 'i2', { title: '[one 1/9] read_file', kind: 'other' });
    fed.tool('tool_call', 'i2', { title: '[two 1/9] read_file', kind: 'other' });
    fed.tool('tool_call_update', 'i2', { status: 'completed' });
    assert.deepEqual(
      fed.tools().map(({ id, status }) => [id, status]),
      [
        ['t1/i2', 'pending'],
        ['t1/i2#2', 'completed'],
      ],
    );
  });

  test("the kind of a sub-agent's tool call is derived from the name of the tool", () => {
    const fed = feed(newest);
    fed.turn('t1');
    for (const [index, name] of ['read_file', 'replace', 'run_shell_command', 'complete_task', 'constructor'].entries())
      fed.tool('tool_call', `c${index}`, { title: `[helper 1/100] ${name}`, kind: 'other' });
    assert.deepEqual(
      fed.tools().map(({ toolKind }) => toolKind),
      ['read', 'edit', 'execute', 'other', 'other'],
    );
  });

  test('relative paths in a replay become absolute, and files named in the input become locations', () => {
    const fed = feed(newest);
    fed.tool('tool_call', 'a', {
      title: 'replace',
      kind: 'edit',
      status: 'completed',
      rawInput: { file_path: 'a.txt', old_text: 'x', new_text: 'y' },
      content: [diff('a.txt', 'x', 'y')],
    });
    const [tool] = fed.tools();
    assert.deepEqual([tool?.content, tool?.locations], [[diff('/workspace/a.txt', 'x', 'y')], [{ path: '/workspace/a.txt' }]]);
  });

  test('a permission request refers to its tool call, and its description for the model is not shown', () => {
    const fed = feed(newest);
    fed.turn('t1');
    const call = {
      toolCallId: 'a',
      title: 'replace',
      kind: 'edit',
      status: 'pending',
      rawInput: { file_path: 'a.txt', old_text: 'x', new_text: 'y' },
    };
    fed.update('tool_call', { ...call, content: [diff('/workspace/a.txt', 'x', 'y')] });
    const { request } = fed.ask(
      { ...call, content: [diff('/workspace/a.txt', 'x', 'y'), { type: 'content', content: { type: 'text', text: 'Edit a file: …' } }] },
      ['allow_once', 'allow_always'],
    );
    assert.deepEqual([request.subject.itemId, request.subject.content], ['t1/a', [diff('/workspace/a.txt', 'x', 'y')]]);
    assert.ok(!JSON.stringify(fed.state()).includes('Edit a file'));
  });

  test('a request with an "always" option names the tool that the option covers; any other request does not', () => {
    const fed = feed(newest);
    fed.turn('t1');
    const scope = (title: string, kinds: readonly string[]): string | undefined =>
      fed.ask({ toolCallId: title, title }, kinds).request.alwaysScope?.params.tool;
    assert.equal(scope('run_shell_command', ['allow_once', 'allow_always']), 'run_shell_command');
    assert.equal(scope('[helper] run_shell_command', ['reject_always']), '[helper] run_shell_command');
    assert.equal(scope('mcp_tool', ['allow_once', 'reject_once']), undefined);
  });

  test('the default mode, workspace-write, has the hint that it edits without asking', () => {
    const options = new AcpOptions(newest);
    const availableModes = [
      { id: 'workspace-write', name: 'W', description: 'Writes.' },
      { id: 'own', name: 'Own' },
    ];
    options.open({ modes: { currentModeId: 'workspace-write', availableModes } }, []);
    assert.deepEqual(selectOf(options.list, 'mode')?.choices, [
      { value: 'workspace-write', name: 'W', description: 'Writes.', hint: 'edits_without_asking' },
      { value: 'own', name: 'Own' },
    ]);
  });

  test('after session/load, which reports no modes, the modes are those that session/new reports, and the current one is unstated', () => {
    const frame = readRecording('text-and-read')
      .map((entry) => entry.frame.result)
      .find((result) => JSON.stringify(result ?? null).includes('availableModes'));
    const [afterLoad, afterNew] = [new AcpOptions(newest), new AcpOptions(newest)];
    afterLoad.open({}, []);
    afterNew.open({ modes: requests.newSession.parseResult(frame).modes ?? null }, []);
    assert.deepEqual(afterLoad.list, afterNew.list);
    assert.deepEqual([[...afterLoad.unstated], [...afterNew.unstated]], [[MODE_OPTION_ID], []]);
  });

  test('an image in a prompt keeps only the members that agentao accepts', () => {
    const image = { type: 'image' as const, data: 'AA==', mimeType: 'image/png', uri: null, annotations: { priority: 1 }, _meta: {} };
    assert.deepEqual(newest.promptBlock(image), { type: 'image', data: 'AA==', mimeType: 'image/png' });
    assert.deepEqual(newest.promptBlock({ type: 'text', text: 'x' }), { type: 'text', text: 'x' });
  });

  test('resuming a session that no longer exists (-32600) fails with session_unknown; an invalid configuration or a missing provider does not', () => {
    assert.equal(toResumeError(fail(newest, -32600, "session/load: Session 'zzz' not found")).code, 'session_unknown');
    assert.equal(toResumeError(fail(newest, -32603, 'Agentao LLM configuration error: …')).code, 'request_failed');
    assert.equal(toResumeError(fail(newest, -32000, 'no provider')).code, 'auth_required');
  });

  test('reasoning that repeats the answer is still shown as a thought', () => {
    const fed = feed(newest);
    fed.turn('t1');
    fed.update('agent_message_chunk', text('Let me see.'));
    fed.update('agent_thought_chunk', text('Let me see.'));
    assert.deepEqual(fed.messages().slice(1), [
      ['agent', 'Let me see.'],
      ['thought', 'Let me see.'],
    ]);
  });
});

describe('the diff of a write_file request', () => {
  async function folder(t: { after(end: () => Promise<void>): void }): Promise<string> {
    const cwd = await mkdtemp(path.join(tmpdir(), 'acp-host-write-'));
    t.after(() => rm(cwd, { recursive: true, force: true }));
    return cwd;
  }
  const write = (file: string) => ({ type: 'whole', path: file, newText: 'new\n' }) as const;

  test('compares the new text with an existing file, or with nothing for a new file', async (t) => {
    const cwd = await folder(t);
    await writeFile(path.join(cwd, 'a.txt'), 'old\n');
    assert.deepEqual(await diffOfWrite(cwd, write('a.txt'), createFileAccess(cwd)), diff(path.join(cwd, 'a.txt'), 'old\n', 'new\n'));
    assert.deepEqual(await diffOfWrite(cwd, write('b.txt'), createFileAccess(cwd)), diff(path.join(cwd, 'b.txt'), null, 'new\n'));
  });

  test('is undefined outside the folder, for a folder or a pipe, and for a file that is binary, not UTF-8 or too large', async (t) => {
    const cwd = await folder(t);
    await writeFile(path.join(cwd, 'binary'), Buffer.from([1, 0, 2]));
    await writeFile(path.join(cwd, 'latin1'), Buffer.from([0x61, 0xe9]));
    await writeFile(path.join(cwd, 'huge'), 'x'.repeat(1_000_001));
    if (process.platform !== 'win32') execFileSync('mkfifo', [path.join(cwd, 'pipe')]);
    for (const file of ['../a.txt', '/etc/hostname', '.', 'binary', 'latin1', 'huge', 'pipe']) {
      if (file === 'pipe' && process.platform === 'win32') continue;
      assert.equal(await diffOfWrite(cwd, write(file), createFileAccess(cwd)), undefined, file);
    }
  });

  test('is only computed if the request has no diff and its input is the whole text', () => {
    const fed = feed(newest);
    fed.turn('t1');
    const plain = fed.ask({ toolCallId: 'a', title: 'write_file', kind: 'edit', rawInput: { file_path: 'a.txt', content: 'x' } });
    assert.deepEqual(plain.unseenEdit, { type: 'whole', path: 'a.txt', newText: 'x' });
    const appending = fed.ask({
      toolCallId: 'b',
      title: 'write_file',
      kind: 'edit',
      rawInput: { file_path: 'a.txt', content: 'x', append: true },
    });
    assert.deepEqual([appending.unseenEdit, appending.request.subject.content], [undefined, [diff('/workspace/a.txt', null, 'x')]]);
    assert.equal(fed.ask({ toolCallId: 'c', title: 'write_file', rawInput: 'odd' }).unseenEdit, undefined);
  });
});

describe('agentao 0.4.20 and other old versions', () => {
  test('output is appended, even after the call has completed, and a completed call stays completed', () => {
    const fed = feed(old);
    fed.turn('t1');
    fed.tool('tool_call', 'a', { title: 'run_shell_command', kind: 'execute' });
    fed.tool('tool_call_update', 'a', { status: 'in_progress', ...output('one\n') });
    fed.tool('tool_call_update', 'a', { status: 'in_progress', ...output('two\n') });
    fed.tool('tool_call_update', 'a', { status: 'completed' });
    fed.tool('tool_call_update', 'a', { status: 'in_progress', ...output('three\n') });
    assert.deepEqual([fed.tools()[0]?.status, fed.tools()[0]?.content], ['completed', output('one\ntwo\nthree\n')['content']]);
  });

  test('very long output keeps its beginning and its end', () => {
    const fed = feed(old);
    fed.turn('t1');
    fed.tool('tool_call', 'a', { title: 'run_shell_command', kind: 'execute' });
    for (let line = 0; line < 1_000; line++)
      fed.tool('tool_call_update', 'a', { status: 'in_progress', ...output(`${String(line).padStart(99, '.')}\n`) });
    const [content] = fed.tools()[0]?.content ?? [];
    const shown = content?.type === 'content' && content.content.type === 'text' ? content.content.text : '';
    assert.match(shown, /^\.+0\n/);
    assert.match(shown, /\n\n\[… 84000 characters left out …\]\n\n/);
    assert.ok(shown.endsWith('999\n') && shown.length < 16_100);
  });

  test('permission requests that precede their tool_call under another ID are matched by title and input, in order', async () => {
    const fed = feed(old);
    fed.turn('t1');
    const first = fed.ask({
      toolCallId: 'call_0123456789ab',
      title: 'run_shell_command',
      kind: 'execute',
      rawInput: { command: 'x', n: [1] },
    });
    const second = fed.ask({
      toolCallId: 'call_ba9876543210',
      title: 'run_shell_command',
      kind: 'execute',
      rawInput: { n: [1], command: 'x' },
    });
    const other = fed.ask({ toolCallId: 'call_000000000000', title: 'run_shell_command', kind: 'execute', rawInput: { command: 'y' } });
    fed.tool('tool_call', 'c1', { title: 'run_shell_command', kind: 'execute', rawInput: { command: 'x', n: [1] } });
    fed.tool('tool_call', 'c2', { title: 'run_shell_command', kind: 'execute', rawInput: { command: 'x', n: [1] } });
    fed.tool('tool_call', 'c3', { title: 'run_shell_command', kind: 'execute', rawInput: { command: 'z' } });
    fed.tool('tool_call_update', 'c1', { status: 'completed' });
    fed.tool('tool_call_update', 'c2', { status: 'failed' });
    await fed.endTurn();
    assert.deepEqual(
      fed.tools().map(({ id, status }) => [id, status]),
      [
        [first.request.subject.itemId, 'completed'],
        [second.request.subject.itemId, 'failed'],
        [other.request.subject.itemId, 'unreported'],
        ['t1/c3', 'unreported'],
      ],
    );
  });

  test('the kind and the diff of a replace call are derived from its name and input', () => {
    const fed = feed(old);
    fed.turn('t1');
    fed.tool('tool_call', 'a', { title: 'replace', kind: 'other', rawInput: { file_path: 'a.txt', old_text: 'x', new_text: 'y' } });
    fed.tool('tool_call_update', 'a', { status: 'failed', ...output('Error: not approved') });
    const [tool] = fed.tools();
    assert.deepEqual(
      [tool?.toolKind, tool?.content],
      ['edit', [diff('/workspace/a.txt', 'x', 'y'), ...(output('Error: not approved')['content'] as unknown[])]],
    );
  });

  test('a thought that repeats the whole answer, trimmed, is dropped; other thoughts are kept', () => {
    const fed = feed(old);
    fed.turn('t1');
    fed.update('agent_message_chunk', text('Let me '));
    fed.update('agent_message_chunk', text('see. '));
    fed.update('agent_thought_chunk', text('Let me see.'));
    fed.update('agent_thought_chunk', text('a real one'));
    assert.deepEqual(fed.messages().slice(1), [
      ['agent', 'Let me see. '],
      ['thought', 'a real one'],
    ]);
  });

  test('before 0.5.8, a missing key is recognized by the error message, because it has no code of its own', () => {
    const words = 'Internal error: Agentao(): api_key, base_url, and model are required when llm_client is not supplied. …';
    assert.equal(fail(old, -32603, words).code, 'auth_required');
    assert.equal(fail(agentaoQuirks('0.5.7'), -32603, words).code, 'auth_required');
    assert.equal(fail(agentaoQuirks('0.5.8'), -32603, words).code, 'request_failed');
  });

  test('before 0.5.4, the hint of the read-only mode says that it asks instead of refusing', () => {
    const hint = (quirks: typeof old): string | undefined => {
      const options = new AcpOptions(quirks);
      options.open({}, []);
      const modes = choicesOf(selectOf(options.list, 'mode') ?? assert.fail('no modes'));
      return modes.find(({ value }) => value === 'read-only')?.hint;
    };
    assert.equal(hint(old), 'asks_instead_of_refusing');
    assert.equal(hint(newest), undefined);
  });
});
