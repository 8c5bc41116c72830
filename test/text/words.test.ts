/** The compiler checks that each code has a text; this checks that the texts are sentences. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ErrorReasons, HostError, type HostErrorCode, type HostNotice, type HostNotices } from '../../src/core/index.js';
import { errorCause } from '../../src/text/errorCause.js';
import { describeError, errorMessage } from '../../src/text/errorText.js';
import { alwaysScopeText, caveatText, choiceDescription, retryText } from '../../src/text/hintText.js';
import { compactionText, hostNoticeText, noticeText } from '../../src/text/noticeText.js';

const agent = 'Mine';

function assertWords(text: string): void {
  assert.ok(text.length > 3, text);
  assert.doesNotMatch(text, /undefined|null|NaN|\[object|\b[a-z]+_[a-z]+\b/);
}

/** All reasons: a missing one does not compile. */
const reasons: { readonly [C in keyof ErrorReasons]: Readonly<Record<ErrorReasons[C], true>> } = {
  agent_not_found: { not_on_path: true, no_program: true, file_missing: true, none_installed: true, not_in_settings: true },
  spawn_failed: { refused: true, batch_line_break: true, no_interpreter: true, folder_missing: true },
  handshake_failed: { exited: true, bad_answer: true, other_protocol: true, protocol_of_programs: true },
  connect_failed: {
    unreachable: true,
    no_answer: true,
    closed: true,
    certificate_untrusted: true,
    pin_mismatch: true,
    certificate_expired: true,
    redirected: true,
    http_status: true,
    not_web_socket: true,
    not_secure: true,
    plain_text: true,
  },
  key_refused: { status: true, closed: true, missing: true },
  agent_exited: {
    process_ended: true,
    output_closed: true,
    read_failed: true,
    bad_frame: true,
    write_failed: true,
    pipe_closed: true,
    stopped: true,
    not_running: true,
    connection_closed: true,
    connection_silent: true,
    stop_ignored: true,
    message_too_large: true,
    unseen: true,
  },
  request_failed: { stop_reason: true, agent_cancelled: true },
  invalid_response: { wrong_shape: true, no_result: true },
  invalid_message: { not_json: true, only_text: true },
  line_too_long: { answer: true, endless_line: true },
  session_unknown: { refused: true, lost: true, id_reused: true },
  unsupported: {
    sign_in: true,
    sign_out: true,
    resume: true,
    fork: true,
    delivery: true,
    queue: true,
    prompt_content: true,
    message_size: true,
    command: true,
    screen_command: true,
    new_session: true,
    session_list: true,
    session_delete: true,
    session_rename: true,
    stop_subagent: true,
  },
  install_failed: {
    registry_format: true,
    unreachable: true,
    no_answer: true,
    http_status: true,
    redirects: true,
    unsafe_source: true,
    too_large: true,
    hash_mismatch: true,
    hash_changed: true,
    archive_unsafe: true,
    archive_damaged: true,
    archive_too_large: true,
    no_way: true,
    not_listed: true,
    tool_missing: true,
    tool_failed: true,
    no_program: true,
    busy: true,
    disk: true,
  },
  storage_failed: {
    not_saved: true,
    unsent_not_saved: true,
    unreadable: true,
    unreadable_version: true,
    unreadable_foreign: true,
    folder_unreadable: true,
    left_alone: true,
  },
  changes_unknown: { no_git: true, git_failed: true, too_slow: true, editor_hangs: true, folder_too_large: true, not_recorded: true },
  cancelled: { start: true, opening: true, request: true },
  disposed: { host: true, connection: true, conversation: true },
  usage: {
    sign_in_unknown: true,
    sign_in_in_terminal: true,
    protocol_unknown: true,
    protocol_needs_url: true,
    protocol_needs_command: true,
    url_scheme: true,
    url_secret: true,
    url_fragment: true,
    pin_shape: true,
    no_folder: true,
    no_home: true,
    function_unknown: true,
    command_takes_no_text: true,
    trace_version: true,
    trace_line: true,
    trace_not_json: true,
    trace_empty: true,
    request_closed: true,
    option_unavailable: true,
    option_ambiguous: true,
    option_unknown: true,
    option_refused: true,
    option_kept: true,
    prompt_gone: true,
    command_ended: true,
    turn_unknown: true,
    nothing_interrupted: true,
    agent_not_running: true,
    session_open: true,
    agent_bound: true,
    conversation_unknown: true,
    engine_in_window: true,
  },
  engine_lost: { closed: true, bad_message: true, too_large: true, disposed: true },
  engine_failed: {
    not_started: true,
    exited: true,
    not_ready: true,
    bad_answer: true,
    ended_at_once: true,
    not_listening: true,
    unreachable: true,
    impostor: true,
    other_machine: true,
    unsafe_kind: true,
    unsafe_owner: true,
    unsafe_mode: true,
    file_foreign: true,
    file_newer: true,
    file_unreadable: true,
    folder_of_other: true,
    folder_unwritable: true,
  },
  internal: { channel_read_twice: true, session_not_begun: true, no_resume_method: true, wire_not_served: true },
};

describe('an error', () => {
  for (const [code, ofCode] of Object.entries(reasons)) {
    for (const reason of Object.keys(ofCode)) {
      it(`${code} with the reason ${reason} is a full sentence`, () => {
        const params = JSON.parse(JSON.stringify({ reason, detail: 'it broke' }));
        const error = { code: code as HostErrorCode, params };
        const cause = errorCause(error, agent);
        assertWords(cause);
        assert.match(cause, /[.!?)]$/);
        assert.doesNotMatch(errorMessage(error, agent), /\.$/);
      });
    }
  }

  it('from an agent shows the text of the agent', () => {
    const error = new HostError('request_failed', { detail: 'No such model' }).toData();
    assert.deepEqual(describeError(error, { agent }), { title: 'Mine reported an error', text: 'No such model.' });
    assert.equal(errorMessage(error, agent), 'No such model');
  });

  it('of a lost session differs from that of a session that the agent does not remember', () => {
    const titleOf = (reason: 'lost' | 'refused'): string =>
      describeError(new HostError('session_unknown', { reason }).toData(), { agent }).title;
    assert.equal(titleOf('lost'), 'Mine lost its session for this conversation');
    assert.equal(titleOf('refused'), "Mine doesn't remember this conversation");
  });

  it('with an unknown reason, as from another version, shows its detail', () => {
    const params = JSON.parse('{"reason":"constructor","detail":"The disk was eaten"}');
    assert.equal(errorCause({ code: 'storage_failed', params }, agent), 'The disk was eaten.');
  });

  it('of a handshake says what was wrong with the response', () => {
    const because = new HostError('invalid_response', { reason: 'wrong_shape', method: 'initialize', path: 'a.b' }).toData();
    const error = new HostError('handshake_failed', { reason: 'bad_answer', because }).toData();
    assert.equal(errorCause(error, agent), 'Mine did not respond properly: Mine\'s response to initialize has the wrong shape at "a.b".');
  });

  it('of an agent that crashed repeatedly says that automatic restart is paused', () => {
    const error = new HostError('agent_exited', { reason: 'process_ended', exitCode: 3, circuit: 'open' }).toData();
    assert.equal(errorCause(error, agent), 'Mine exited with code 3. It crashed repeatedly, so automatic restart is paused.');
  });
});

describe('a notice', () => {
  const params: HostNotices = {
    events_missing: { since: 0, until: 60_000, events: 2 },
    beginning_removed: { bytes: 3_000_000 },
    tool_output_removed: { bytes: 3_000_000 },
    part_removed: {},
    settings_not_restored: {
      options: [
        { name: 'Depth', value: true },
        { name: 'Model', value: 'm', error: { code: 'request_failed', params: { detail: 'Not today' } } },
      ],
    },
    plan_finished: { entries: ['Read the parser', 'Run the tests'] },
    recall_tail_lost: { prompts: 1, since: 'Do\nit' },
    recall_other_conversation: {},
    recall_nothing_told: {},
    mcp_servers_invalid: {
      leftOut: [
        { server: 'a', code: 'shape' },
        { server: '.mcp.json', code: 'file_text' },
      ],
    },
    agent_acted_unasked: { act: 'execute', title: 'ls -la' },
    server_unauthenticated: {},
    agent_keeps_no_context: {},
    continue_refused: { detail: 'No model is configured' },
    session_made: { sessionId: '/home/me/one.jsonl' },
    mcp_servers_left_out: { names: ['docs', 'issues'] },
    system_prompt_left_out: {},
    messages_unread: { messages: 2 },
    agent_hangs_after_sleep: {},
    request_closed_unanswered: { request: 'Edit a.txt', why: 'deadline' },
  };
  for (const [code, ofCode] of Object.entries(params)) {
    it(`${code} has a readable text`, () => {
      const { title, description = '' } = hostNoticeText({ code, params: ofCode } as HostNotice, agent);
      assertWords(title);
      assertWords(description);
    });
  }

  it('lists the settings that were not restored, and why', () => {
    const text = hostNoticeText({ code: 'settings_not_restored', params: params.settings_not_restored }, agent);
    assert.equal(text.description, 'Depth "on" is no longer available.\nModel "m" was refused: Not today.');
  });

  it('from the agent shows the text of the agent', () => {
    const item = { kind: 'notice', id: 'n0', severity: 'info', at: 0, turnId: undefined } as const;
    assert.deepEqual(noticeText({ ...item, title: 'Look', description: undefined }, agent), { title: 'Look' });
  });
});

describe('a compaction of the context', () => {
  it('is named in words for every status of ACP, and as the agent names it for any other', () => {
    for (const status of ['in_progress', 'completed', 'failed', 'cancelled', 'paused', 'constructor']) assertWords(compactionText(status));
    assert.equal(compactionText('completed'), 'The context was compacted');
    assert.equal(compactionText('constructor'), 'Compaction of the context: constructor');
  });
});

describe('a hint about an agent', () => {
  it('is added to the description of a choice, and explains caveats, permission scopes and retries', () => {
    const choice = { value: 'w', name: 'W', description: 'Writes.' };
    assert.equal(choiceDescription(choice, agent), 'Writes.');
    assert.equal(
      choiceDescription({ ...choice, hint: 'edits_without_asking' }, agent),
      'Writes. Writes files in the folder without asking.',
    );
    assert.equal(choiceDescription({ value: 'w', name: 'W' }, agent), undefined);
    assert.equal(caveatText('exit_code_unreported', agent), "Mine doesn't report the exit code. Check the output.");
    assert.equal(alwaysScopeText({ code: 'session_tool', params: { tool: 'shell' } }), 'for this session: any shell');
    assert.equal(retryText({ code: 'unreachable', params: { attempt: 2, attempts: 5 } }), 'the provider is unreachable, attempt 2 of 5');
  });
});
