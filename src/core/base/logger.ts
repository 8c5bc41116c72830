/** Has the levels of `vscode.LogLevel`. Traffic only goes to `trace`. */
export interface Logger {
  trace(message: string, ...facts: readonly unknown[]): void;
  debug(message: string, ...facts: readonly unknown[]): void;
  info(message: string, ...facts: readonly unknown[]): void;
  warn(message: string, ...facts: readonly unknown[]): void;
  error(message: string, ...facts: readonly unknown[]): void;
}

const nothing = (): void => {};

/** A logger that drops everything. */
export const nullLogger: Logger = { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing };

/** Returns a logger that puts a tag in front of each line, so that readers can tell the parts of the program apart. */
export function tagged(log: Logger, tag: string): Logger {
  return {
    trace: (message, ...facts) => log.trace(`[${tag}] ${message}`, ...facts),
    debug: (message, ...facts) => log.debug(`[${tag}] ${message}`, ...facts),
    info: (message, ...facts) => log.info(`[${tag}] ${message}`, ...facts),
    warn: (message, ...facts) => log.warn(`[${tag}] ${message}`, ...facts),
    error: (message, ...facts) => log.error(`[${tag}] ${message}`, ...facts),
  };
}
