/** agentao's traps, each by name. test/fixtures has recordings of 0.5.17; the quirks describe older versions. */
import assert from 'node:assert/strict';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import { AcpOptions } from '../../../src/core/backends/acp/acpOptions.js';
import { choicesOf, MODE_OPTION_ID, selectOf } from '../../../src/core/session/sessionOption.js';
import { toCallError, toResumeError } from '../../../src/core/backends/acp/callErrors.js';
import { diffOfWrite } from '../../../src/core/backends/acp/permission.js';
import { agentaoQuirks } from '../../../src/core/agents/agentao/agentaoQuirks.js';
import { acpQuirksOf } from '../../../src/core/agents/knownAgents.js';
import { standardQuirks } from '../../../src/core/agents/standardQuirks.js';
import { requests } from '../../../src/core/backends/acp/schema/methods.js';
import { Redactor } from '../../../src/core/base/redact.js';
import { createFileAccess } from '../../../src/core/services/files.js';
import { toRequestError } from '../../../src/core/rpc/rpcErrors.js';
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
  test('another agent with the same version', () => assert.equal(acpQuirksOf({ name: 'other', version: '0.4.20' }), standardQuirks));
  test('an agent that does not name itself', () => assert.equal(acpQuirksOf(null), standardQuirks));
});

describe('0.5.17', () => {
  test('fact 1: a failed model call has its own code and the words of the provider, without the key', () => {
    const error = fail(newest, -32603, '[LLM API error: Error code: 401 - bad key sk-FAKE0123456789]', { reason: 'llm_error' });
    assert.equal(error.code, 'provider_failed');
    assert.equal(error.params.detail, 'Error code: 401 - bad key [redacted]');
    assert.ok(!JSON.stringify(error.toData()).includes('sk-FAKE0123456789'));
    assert.equal(error.cause, undefined, 'a cause would carry the key into the log');
  });

  test('another -32603 stays what it is', () => {
    assert.equal(fail(newest, -32603, 'Agentao LLM configuration error: LLM_TEMPERATURE is not a valid number').code, 'request_failed');
    assert.equal(fail(standardQuirks, -32603, '[LLM API error: x]', { reason: 'llm_error' }).code, 'request_failed');
  });

  test('fact 3: completed edits and commands say what that does not mean; reads and failures need no such words', () => {
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

  test('7.3: an update without a status changes no status, may change the title, and [] takes the content away', () => {
    const fed = feed(newest);
    fed.turn('t1');
    fed.tool('tool_call', 'a', { title: 'run_shell_command', kind: 'execute', status: 'in_progress', ...output('one') });
    fed.tool('tool_call_update', 'a', { title: 'renamed', content: [], schema_version: 1 });
    assert.deepEqual(
      fed.tools().map(({ title, status, content }) => [title, status, content]),
      [['renamed', 'in_progress', []]],
    );
  });

  test('2.4: each content replaces the one before', () => {
    const fed = feed(newest);
    fed.turn('t1');
    fed.tool('tool_call', 'a', { title: 'run_shell_command', kind: 'execute' });
    fed.tool('tool_call_update', 'a', { status: 'in_progress', ...output('one\n') });
    fed.tool('tool_call_update', 'a', { status: 'completed', ...output('one\ntwo\n') });
    assert.deepEqual(fed.tools()[0]?.content, output('one\ntwo\n')['content']);
  });

  test('2.4: a second tool_call with a known id is another call, also while the first is open', () => {
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

  test('2.4: kinds of sub-agents come from the name of the tool', () => {
    const fed = feed(newest);
    fed.turn('t1');
    for (const [index, name] of ['read_file', 'replace', 'run_shell_command', 'complete_task'].entries())
      fed.tool('tool_call', `c${index}`, { title: `[helper 1/100] ${name}`, kind: 'other' });
    assert.deepEqual(
      fed.tools().map(({ toolKind }) => toolKind),
      ['read', 'edit', 'execute', 'other'],
    );
  });

  test('2.4: replayed paths are relative, cards show absolute ones; files that the input names are locations', () => {
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

  test('2.5: a request belongs to its card, and its description for the model is not shown', () => {
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

  test('2.5: how far "always" reaches is told, where the request offers it', () => {
    const fed = feed(newest);
    fed.turn('t1');
    const scope = (title: string, kinds: readonly string[]): string | undefined =>
      fed.ask({ toolCallId: title, title }, kinds).request.alwaysScope?.params.tool;
    assert.equal(scope('run_shell_command', ['allow_once', 'allow_always']), 'run_shell_command');
    assert.equal(scope('[helper] run_shell_command', ['reject_always']), '[helper] run_shell_command');
    assert.equal(scope('mcp_tool', ['allow_once', 'reject_once']), undefined);
  });

  test('fact 9: the default mode is said to write without asking', () => {
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

  test('7.2: session/load tells no modes; the known ones are those that session/new tells', () => {
    const frame = readRecording('text-and-read')
      .map((entry) => entry.frame.result)
      .find((result) => JSON.stringify(result ?? null).includes('availableModes'));
    const [afterLoad, afterNew] = [new AcpOptions(newest), new AcpOptions(newest)];
    afterLoad.open({}, []);
    afterNew.open({ modes: requests.newSession.parseResult(frame).modes ?? null }, []);
    assert.deepEqual(afterLoad.list, afterNew.list);
    assert.deepEqual([[...afterLoad.unstated], [...afterNew.unstated]], [[MODE_OPTION_ID], []]);
  });

  test('7.5: an image has no key but those that agentao knows', () => {
    const image = { type: 'image' as const, data: 'AA==', mimeType: 'image/png', uri: null, annotations: { priority: 1 }, _meta: {} };
    assert.deepEqual(newest.promptBlock(image), { type: 'image', data: 'AA==', mimeType: 'image/png' });
    assert.deepEqual(newest.promptBlock({ type: 'text', text: 'x' }), { type: 'text', text: 'x' });
  });

  test('7.6: -32600 for a session that is not there any more is session_unknown; a broken configuration is not', () => {
    assert.equal(toResumeError(fail(newest, -32600, "session/load: Session 'zzz' not found")).code, 'session_unknown');
    assert.equal(toResumeError(fail(newest, -32603, 'Agentao LLM configuration error: …')).code, 'request_failed');
    assert.equal(toResumeError(fail(newest, -32000, 'no provider')).code, 'auth_required');
  });

  test('reasoning that repeats the text is a thought all the same', () => {
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

describe('a plain write, of which agentao sends no diff', () => {
  async function folder(t: { after(end: () => Promise<void>): void }): Promise<string> {
    const cwd = await mkdtemp(path.join(tmpdir(), 'acp-host-write-'));
    t.after(() => rm(cwd, { recursive: true, force: true }));
    return cwd;
  }
  const write = (file: string) => ({ type: 'whole', path: file, newText: 'new\n' }) as const;

  test('of a file that is there: against its text; of a new one: against nothing', async (t) => {
    const cwd = await folder(t);
    await writeFile(path.join(cwd, 'a.txt'), 'old\n');
    assert.deepEqual(await diffOfWrite(cwd, write('a.txt'), createFileAccess(cwd)), diff(path.join(cwd, 'a.txt'), 'old\n', 'new\n'));
    assert.deepEqual(await diffOfWrite(cwd, write('b.txt'), createFileAccess(cwd)), diff(path.join(cwd, 'b.txt'), null, 'new\n'));
  });

  test('none outside of the folder, of a folder, a pipe, something binary or huge', async (t) => {
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

  test('is asked for only where the agent shows nothing', () => {
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

describe('0.4.20 and other old ones', () => {
  test('output appends, also after the end, and never runs again', () => {
    const fed = feed(old);
    fed.turn('t1');
    fed.tool('tool_call', 'a', { title: 'run_shell_command', kind: 'execute' });
    fed.tool('tool_call_update', 'a', { status: 'in_progress', ...output('one\n') });
    fed.tool('tool_call_update', 'a', { status: 'in_progress', ...output('two\n') });
    fed.tool('tool_call_update', 'a', { status: 'completed' });
    fed.tool('tool_call_update', 'a', { status: 'in_progress', ...output('three\n') });
    assert.deepEqual([fed.tools()[0]?.status, fed.tools()[0]?.content], ['completed', output('one\ntwo\nthree\n')['content']]);
  });

  test('endless output is kept by its beginning and its end', () => {
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

  test('a request comes before its tool_call, under an id that never comes again: title and input, in order, say which is which', async () => {
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

  test('a replacement has no diff and the kind "other": both come from its name and input', () => {
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

  test('text that comes again, whole and trimmed, as a thought is dropped; other thoughts stay', () => {
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

  test('before 0.5.8 a missing key has no code of its own', () => {
    const words = 'Internal error: Agentao(): api_key, base_url, and model are required when llm_client is not supplied. …';
    assert.equal(fail(old, -32603, words).code, 'auth_required');
    assert.equal(fail(agentaoQuirks('0.5.7'), -32603, words).code, 'auth_required');
    assert.equal(fail(agentaoQuirks('0.5.8'), -32603, words).code, 'request_failed');
  });

  test('before 0.5.4 read-only asks: it is not promised to refuse', () => {
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
