/** Every way in which the host can fail, for machines. The words for people are made in one place per front end. */
export type HostErrorCode =
  | 'agent_not_found' //        the command is not on PATH or not executable
  | 'spawn_failed' //           the operating system refused to start it
  | 'handshake_failed' //       it started and did not answer properly, or exited before it did
  | 'handshake_timeout' //      it did not answer in time
  | 'version_unsupported' //    it speaks no protocol version that we speak
  | 'auth_required' //          it wants the user to sign in
  | 'agent_exited' //           the process or its pipe ended while something was under way
  | 'request_timeout' //        a query (never a turn) got no answer in time
  | 'request_failed' //         the agent answered with an error
  | 'provider_failed' //        the agent says that its model call failed
  | 'invalid_response' //       the agent's answer has the wrong shape
  | 'invalid_message' //        a line that is no JSON-RPC message, or params of the wrong shape
  | 'line_too_long' //          one line exceeds the limit
  | 'queue_full' //             the agent does not read and the write queue reached its limit
  | 'session_unknown' //        the agent does not know this session (any more)
  | 'session_busy' //           a turn is running where none may
  | 'unsupported' //            the agent did not declare this ability
  | 'untrusted' //              the workspace is not trusted
  | 'storage_failed' //         something could not be read from or written to disk
  | 'cancelled' //              ended because it was asked to
  | 'disposed' //               its owner is gone
  | 'usage' //                  called with something that makes no sense
  | 'internal'; //              our own mistake

export interface HostErrorOptions {
  readonly cause?: unknown;
  /** What the peer sent with the error, or facts for the message that people read. Must be JSON. Never holds a secret. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** The only error type that leaves the core. Branch on `code`, never on `message`. */
export class HostError extends Error {
  override readonly name = 'HostError';
  readonly code: HostErrorCode;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: HostErrorCode, message: string, options: HostErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.data = options.data ?? {};
  }

  /** What survives a trip through JSON: into the journal, to the page, to the command line. */
  toData(): HostErrorData {
    return { code: this.code, message: this.message, data: this.data };
  }
}

export interface HostErrorData {
  readonly code: HostErrorCode;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Anything thrown becomes a HostError; one that already is passes unchanged. */
export function toHostError(error: unknown, code: HostErrorCode = 'internal'): HostError {
  if (error instanceof HostError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new HostError(code, message, { cause: error });
}
