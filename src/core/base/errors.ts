/** Every way in which the host can fail, for machines. `src/text` has the words for people. */
export const hostErrorCodes = [
  'agent_not_found', //        the command is not on PATH or not executable
  'spawn_failed', //           the operating system refused to start it
  'handshake_failed', //       it started and did not answer properly, or exited before it did
  'handshake_timeout', //      it did not answer in time
  'version_unsupported', //    it speaks no protocol version that we speak
  'connect_failed', //         the server could not be connected to, or not safely
  'key_refused', //            the server does not accept the key
  'auth_required', //          it wants the user to sign in
  'agent_exited', //           the process or its pipe ended while something was under way
  'request_timeout', //        a query (never a turn) got no answer in time
  'request_failed', //         the agent answered with an error
  'provider_failed', //        the agent says that its model call failed
  'invalid_response', //       the agent's answer has the wrong shape
  'invalid_message', //        a line that is no JSON-RPC message, or params of the wrong shape
  'line_too_long', //          one line exceeds the limit
  'queue_full', //             the agent does not read and the write queue reached its limit
  'session_unknown', //        the agent does not know this session (any more)
  'session_busy', //           a turn is running where none may
  'unsupported', //            the agent did not declare this ability
  'untrusted', //              the workspace is not trusted
  'storage_failed', //         something could not be read from or written to disk
  'cancelled', //              ended because it was asked to
  'disposed', //               its owner is gone
  'usage', //                  called with something that makes no sense
  'internal', //               our own mistake
] as const;
export type HostErrorCode = (typeof hostErrorCodes)[number];

/** The causes of a code that has several. */
export interface ErrorReasons {
  readonly agent_not_found: 'not_on_path' | 'file_missing' | 'none_installed';
  readonly spawn_failed: 'refused' | 'batch_line_break';
  readonly handshake_failed:
    | 'exited'
    | 'bad_answer'
    /** It speaks another protocol that is known here: `found`, in place of `protocol`. */
    | 'other_protocol'
    /** A server speaks one that only programs are spoken to in here: `found`, in place of `protocol`. */
    | 'protocol_of_programs';
  readonly connect_failed:
    | 'unreachable'
    | 'no_answer'
    /** The server hung up before it said anything. */
    | 'closed'
    /** The params say which certificate it is: see CertificateFacts. */
    | 'certificate_untrusted'
    | 'pin_mismatch'
    | 'redirected'
    | 'http_status'
    | 'not_web_socket'
    /** It answers, and not in TLS. */
    | 'not_secure'
    /** Others could read what is said. */
    | 'plain_text';
  /** `closed`: it hung up, which is all that some servers say to a wrong key. `missing`: none was sent. */
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
    /** It went on with a turn that it was told to stop, so that the host closed the connection. */
    | 'stop_ignored'
    | 'message_too_large'
    /** What came over the WebSocket of a server was none of its frames. */
    | 'bad_frame'
    /** The end was never seen: the agent's or its host's. */
    | 'unseen';
  readonly invalid_response: 'wrong_shape' | 'no_result';
  readonly invalid_message: 'not_json' | 'only_text';
  readonly line_too_long: 'answer' | 'endless_line';
  readonly session_unknown: 'refused' | 'lost' | 'id_reused';
  readonly unsupported: 'sign_in' | 'resume' | 'delivery' | 'queue' | 'prompt_content' | 'message_size' | 'command' | 'new_session';
  readonly storage_failed:
    | 'not_saved'
    | 'unreadable'
    | 'unreadable_newer'
    | 'unreadable_foreign'
    | 'folder_unreadable'
    | 'left_alone_newer'
    | 'left_alone_foreign';
  readonly cancelled: 'start' | 'opening' | 'request';
  readonly disposed: 'host' | 'connection' | 'conversation';
  readonly usage:
    | 'sign_in_unknown'
    | 'sign_in_in_terminal'
    | 'protocol_unknown'
    /** The protocol of an agent is one of servers, and there is no URL; or the other way round. */
    | 'protocol_needs_url'
    | 'protocol_needs_command'
    | 'url_scheme'
    | 'url_secret'
    | 'url_fragment'
    | 'pin_shape'
    /** There is no function in what is selected, and none before it. */
    | 'function_unknown'
    | 'trace_version'
    | 'trace_line'
    | 'trace_not_json'
    | 'trace_empty'
    /** A command of a front end has nothing to do. */
    | 'request_closed'
    | 'option_unavailable'
    | 'option_ambiguous'
    | 'option_unknown'
    | 'prompt_gone'
    | 'turn_unknown'
    | 'nothing_interrupted'
    | 'nothing_hanging'
    | 'agent_not_running'
    | 'conversation_unknown'
    /** Another process has a turn running in the conversation. `program`: where. */
    | 'open_elsewhere'
    /** Another process has the conversation now; it can be asked for it. `program`: where. */
    | 'continued_elsewhere'
    | 'passed_over';
  readonly internal: 'channel_read_twice' | 'session_not_begun' | 'no_resume_method';
}

type CodeWithReasons = keyof ErrorReasons;
export type ErrorReason = ErrorReasons[CodeWithReasons];

/** Facts for machines and for the words. Must be JSON, and never holds a secret. */
export interface ErrorParams {
  readonly reason?: ErrorReason;
  /** Somebody else's own words: the agent's, the operating system's. */
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
/** A reason is one of its code. */
type ErrorArguments = WithoutReason | { [C in CodeWithReasons]: WithReason<C> }[CodeWithReasons];

/** The only error type that leaves the core. Branch on `code` and `params.reason`, never on `message`, which is for logs. */
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
    // Whoever made the data gave the code one of its reasons.
    return new HostError(code, params as ErrorParams & { readonly reason?: never }, options);
  }

  /** The same failure with more known about it. */
  with(params: ErrorParams): HostError {
    return HostError.from({ code: this.code, params: { ...this.params, ...params } }, { cause: this });
  }

  /** What survives a trip through JSON: into the journal, to the page, to the command line. */
  toData(): HostErrorData {
    return { code: this.code, params: this.params };
  }
}

export interface HostErrorData {
  readonly code: HostErrorCode;
  readonly params: ErrorParams;
}

/** The same failure without secrets: what somebody else says of it may quote a key. */
export function redactError(error: HostError, redactor: { json(value: unknown): unknown }): HostError {
  const params = Object.fromEntries(Object.entries(error.params).map(([key, value]) => [key, redactor.json(value)]));
  return HostError.from({ code: error.code, params }, { cause: error.cause });
}

/** Anything thrown becomes a HostError; one that already is passes unchanged. */
export function toHostError(error: unknown, code: HostErrorCode = 'internal'): HostError {
  return error instanceof HostError ? error : new HostError(code, { detail: messageOf(error) }, { cause: error });
}

/** What somebody else says about their own failure. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
