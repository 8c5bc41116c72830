/** Every way in which the host can fail, for programs. `src/text` has the sentences for users. */
export const hostErrorCodes = [
  'agent_not_found', // the command is not on PATH or not executable
  'spawn_failed', // the operating system refused to start it
  'handshake_failed', // it started, but sent an invalid answer or exited before it answered
  'handshake_timeout', // it did not answer in time
  'version_unsupported', // it supports none of our protocol versions
  'connect_failed', // the connection to the server failed or would not be secure
  'key_refused', // the server rejects the key
  'auth_required', // the user has to sign in
  'agent_exited', // the process or its pipe ended during an operation
  'request_timeout', // a query (never a turn) got no answer in time
  'request_failed', // the agent answered with an error
  'provider_failed', // the agent reports that its model call failed
  'invalid_response', // the agent's answer has the wrong shape
  'invalid_message', // a line that is not a JSON-RPC message, or params of the wrong shape
  'line_too_long', // one line exceeds the limit
  'queue_full', // the agent does not read, and the write queue is full
  'session_unknown', // the agent does not know this session, or no longer does
  'session_busy', // a turn is running, and the operation needs an idle session
  'unsupported', // the agent did not declare this capability
  'untrusted', // the workspace is not trusted
  'storage_failed', // reading from or writing to the disk failed
  'changes_unknown', // what changed in a folder can't be told, or not be taken back
  'cancelled', // canceled on request
  'disposed', // its owner was disposed
  'install_failed', // an agent could not be installed, updated or removed
  'usage', // called with invalid arguments
  'engine_lost', // the connection between a front end and the engine is closed
  'engine_failed', // the engine can't be started or found
  'engine_hangs', // the engine runs, but does not answer
  'engine_older', // the engine speaks an older version of the link, and is busy
  'engine_newer', // the engine speaks a newer version of the link
  'internal', // a mistake of our own
] as const;
/** What went wrong, for programs. `text` has the sentence for each code. */
export type HostErrorCode = (typeof hostErrorCodes)[number];

/** The reasons of the codes that have several. */
export interface ErrorReasons {
  readonly agent_not_found: 'not_on_path' | 'no_program' | 'file_missing' | 'none_installed' | 'not_in_settings';
  readonly spawn_failed:
    | 'refused'
    | 'batch_line_break'
    /** `file` is a script, and the program that its first line names doesn't exist: `interpreter`. */
    | 'no_interpreter'
    /** There is no folder `cwd` to start it in. */
    | 'folder_missing';
  readonly handshake_failed:
    | 'exited'
    | 'bad_answer'
    /** The agent speaks another known protocol: `found` instead of `protocol`. */
    | 'other_protocol'
    /** A server speaks a protocol that is supported for processes only: `found` instead of `protocol`. */
    | 'protocol_of_programs';
  readonly connect_failed:
    | 'unreachable'
    | 'no_answer'
    /** The server closed the connection before it sent anything; with `isReset`, abruptly. */
    | 'closed'
    /** The params describe the certificate: see CertificateFacts. */
    | 'certificate_untrusted'
    | 'pin_mismatch'
    /** Expired or not yet valid, pinned or not. */
    | 'certificate_expired'
    | 'redirected'
    | 'http_status'
    | 'not_web_socket'
    /** The server answers, but without TLS. */
    | 'not_secure'
    /** Others could read the data. */
    | 'plain_text';
  /** `closed`: the server closed the connection, which is all that some servers do about a wrong key. `missing`: no key was sent. */
  readonly key_refused: 'status' | 'closed' | 'missing';
  readonly agent_exited:
    | 'process_ended'
    | 'output_closed'
    | 'read_failed'
    | 'write_failed'
    | 'pipe_closed'
    | 'stopped'
    | 'not_running'
    | 'connection_closed'
    | 'connection_silent'
    /** The agent continued a turn after it was told to stop, so the host closed the connection. */
    | 'stop_ignored'
    | 'message_too_large'
    /** A server sent an invalid WebSocket frame. */
    | 'bad_frame'
    /** It is not known how the agent or its host ended. */
    | 'unseen';
  /** The turn ended with a stop reason that is unknown, and so no success. */
  readonly request_failed:
    | 'stop_reason'
    /** The agent canceled a turn that nobody canceled. */
    | 'agent_cancelled';
  readonly invalid_response: 'wrong_shape' | 'no_result';
  readonly invalid_message: 'not_json' | 'only_text';
  readonly line_too_long: 'answer' | 'endless_line';
  readonly session_unknown: 'refused' | 'lost' | 'id_reused';
  readonly unsupported:
    | 'sign_in'
    | 'sign_out'
    | 'resume'
    | 'fork'
    | 'delivery'
    | 'queue'
    | 'prompt_content'
    | 'message_size'
    | 'command'
    | 'screen_command'
    | 'new_session'
    | 'session_list'
    | 'session_delete'
    | 'session_rename'
    | 'stop_subagent';
  readonly storage_failed:
    | 'not_saved'
    | 'unsent_not_saved'
    | 'unreadable'
    | 'unreadable_version'
    | 'unreadable_foreign'
    | 'folder_unreadable'
    | 'left_alone';
  readonly changes_unknown: /** Git is not installed, or too old. */
    | 'no_git'
    | 'git_failed'
    /** Git needs longer than it may. */
    | 'too_slow'
    | 'editor_hangs'
    /** It is the user's home folder, or has it. */
    | 'folder_too_large'
    /** There is no such turn, or nothing was recorded of it. */
    | 'not_recorded';
  /** `what` is `list` or `removal` if it was not an installation. */
  readonly install_failed: /** The registry is not in its format: `detail`. */
    | 'registry_format'
    | 'unreachable'
    | 'no_answer'
    | 'http_status'
    | 'redirects'
    /** The address is neither `https:` nor on this machine. */
    | 'unsafe_source'
    | 'too_large'
    /** The file is not the one that the registry describes. */
    | 'hash_mismatch'
    /** The file is not the one that was installed from there before, with the user's consent. */
    | 'hash_changed'
    /** `detail` is the path or the link that is refused. */
    | 'archive_unsafe'
    | 'archive_damaged'
    | 'archive_too_large'
    /** The registry has nothing for this system. */
    | 'no_way'
    /** The newest list of the registry doesn't have it. */
    | 'not_listed'
    /** The program `tool` is needed, and is not on the PATH. */
    | 'tool_missing'
    | 'tool_failed'
    /** It was installed, and the program `command` is not in it. */
    | 'no_program'
    /** Another process installs it, or removes it: `pid`. */
    | 'busy'
    | 'disk';
  readonly cancelled: 'start' | 'opening' | 'request';
  readonly disposed: 'host' | 'connection' | 'conversation';
  readonly usage:
    | 'sign_in_unknown'
    | 'sign_in_in_terminal'
    | 'protocol_unknown'
    /** The agent's protocol is for servers, and there is no URL; `protocol_needs_command` is the opposite. */
    | 'protocol_needs_url'
    | 'protocol_needs_command'
    | 'url_scheme'
    | 'url_secret'
    | 'url_fragment'
    | 'pin_shape'
    /** The selection contains no function, and none precedes it. */
    | 'function_unknown'
    /** There is a text after the name of a command that takes none. */
    | 'command_takes_no_text'
    | 'no_home'
    | 'no_folder'
    | 'trace_version'
    | 'trace_line'
    | 'trace_not_json'
    | 'trace_empty'
    /** Commands of a front end that have nothing to act on. */
    | 'request_closed'
    | 'option_unavailable'
    | 'option_ambiguous'
    | 'option_unknown'
    /** The agent offers the value, but answered the change with an error: `detail`. */
    | 'option_refused'
    /** The agent answered the change without an error, but with the value from before: `current`. */
    | 'option_kept'
    | 'prompt_gone'
    | 'command_ended'
    | 'turn_unknown'
    | 'nothing_interrupted'
    | 'agent_not_running'
    /** A conversation has the agent's session open. */
    | 'session_open'
    | 'agent_bound'
    | 'conversation_unknown'
    /** It would take the window along in which it runs. */
    | 'engine_in_window';
  readonly engine_lost:
    | 'closed'
    | 'bad_message'
    | 'too_large'
    /** This end was disposed of. */
    | 'disposed';
  /** `path` is the file or folder that the reason is about. */
  readonly engine_failed:
    | 'not_started'
    | 'exited'
    | 'not_ready'
    /** It printed `detail` instead of a result. */
    | 'bad_answer'
    | 'ended_at_once'
    | 'not_listening'
    | 'unreachable'
    /** What listens at `address` does not know the token in the file. */
    | 'impostor'
    /** The file names the machine `host`, and nothing listens here. */
    | 'other_machine'
    | 'unsafe_kind'
    | 'unsafe_owner'
    | 'unsafe_mode'
    | 'file_foreign'
    | 'file_newer'
    | 'file_unreadable'
    | 'folder_of_other'
    | 'folder_unwritable';
  readonly internal: 'channel_read_twice' | 'session_not_begun' | 'no_resume_method' | 'wire_not_served';
}

type CodeWithReasons = keyof ErrorReasons;
export type ErrorReason = ErrorReasons[CodeWithReasons];

/** Facts for programs and for the sentences. They must be JSON, and never contain a secret. */
export interface ErrorParams {
  readonly reason?: ErrorReason;
  /** A text of the agent or the operating system. */
  readonly detail?: string;
  readonly [fact: string]: unknown;
}

interface ErrorOptions {
  readonly cause?: unknown;
}

type WithoutReason = readonly [code: HostErrorCode, params?: ErrorParams & { readonly reason?: never }, options?: ErrorOptions];
type WithReason<C extends CodeWithReasons> = readonly [
  code: C,
  params: ErrorParams & { readonly reason: ErrorReasons[C] },
  options?: ErrorOptions,
];
/** A reason must belong to its code. */
type ErrorArguments = WithoutReason | { [C in CodeWithReasons]: WithReason<C> }[CodeWithReasons];

/** The only type of error that leaves the core. Branch on `code` and `params.reason`, never on `message`, which is for logs. */
export class HostError extends Error {
  override readonly name = 'HostError';
  readonly code: HostErrorCode;
  readonly params: ErrorParams;

  constructor(...[code, params = {}, { cause } = {}]: ErrorArguments) {
    super([code, params.reason, params.detail].filter(Boolean).join(': '), cause === undefined ? undefined : { cause });
    this.code = code;
    this.params = params;
  }

  static from({ code, params }: HostErrorData, options: ErrorOptions = {}): HostError {
    // The code and its reason matched when the data was created.
    return new HostError(code, params as ErrorParams & { readonly reason?: never }, options);
  }

  /** Returns the same error with more params. */
  with(params: ErrorParams): HostError {
    return HostError.from({ code: this.code, params: { ...this.params, ...params } }, { cause: this });
  }

  /** Returns what survives JSON: for the journal, the page and the command line. */
  toData(): HostErrorData {
    return { code: this.code, params: this.params };
  }
}

/** An error as plain data, without its stack and its cause. */
export interface HostErrorData {
  readonly code: HostErrorCode;
  readonly params: ErrorParams;
}

/** Returns the same error without secrets, because text of the agent or the operating system may quote a key. */
export function redactError(error: HostError, redactor: { json(value: unknown): unknown }): HostError {
  const params = Object.fromEntries(Object.entries(error.params).map(([key, value]) => [key, redactor.json(value)]));
  return HostError.from({ code: error.code, params }, { cause: error.cause });
}

/** Returns the error for what is not sent, because the connection had ended before: the next process may get it. */
export function unsent(end: HostError): HostError {
  return end.code === 'agent_exited' ? end.with({ reason: 'not_running' }) : end;
}

/** Converts anything that was thrown to a HostError; returns a HostError unchanged. */
export function toHostError(error: unknown, code: HostErrorCode = 'internal'): HostError {
  return error instanceof HostError ? error : new HostError(code, { ...pathFact(error), ...systemFacts(error) }, { cause: error });
}

/** The operating system names the file that an error is about. */
function pathFact(cause: unknown): { readonly path?: string } {
  return cause instanceof Error && 'path' in cause && typeof cause.path === 'string' ? { path: cause.path } : {};
}

/** Returns the text of the agent or the operating system about the failure. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Returns the params of an error of the operating system: its code, such as `ENOSPC`, if it has one, and its text. */
export function systemFacts(cause: unknown): { readonly systemCode?: string; readonly detail: string } {
  if (cause instanceof HostError) {
    const { systemCode, detail = cause.message } = cause.params;
    return { ...(typeof systemCode === 'string' && { systemCode }), detail };
  }
  const systemCode = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? { systemCode: cause.code } : {};
  return { ...systemCode, detail: messageOf(cause) };
}
