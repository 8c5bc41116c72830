/** The differences between the programs of the Pi family on the wire. Everything else shows from what they send. */

export interface PiDialect {
  readonly name: 'pi' | 'xcsh';
  /** The dialect of an agent that starts in the other way. */
  readonly other: 'pi' | 'xcsh';
  /** The agent sends `ready` when it begins to read. */
  readonly saysReady: boolean;
  /** The agent reads nothing while it works on a command, so the next command is sent after the answer to the previous one. */
  readonly isSerial: boolean;
  /** The agent answers a prompt before it knows whether the prompt leads to a run, and a second answer may follow. */
  readonly answersPromptsEarly: boolean;
  /** The agent reports its queue; otherwise the host remembers what it sent. */
  readonly tellsQueue: boolean;
  /** The agent can list its commands. */
  readonly listsCommands: boolean;
  /** The command that begins a session at a message of another one; the command that lists these messages is named after it. */
  readonly forkCommand: 'fork' | 'branch';
  /** The agent can copy a session. */
  readonly clones: boolean;
  /** The agent can call tools of the host. */
  readonly takesHostTools: boolean;
  /** A timeout of 0 ends at once. */
  readonly zeroIsTimeout: boolean;
}

/** Source: pi 0.74.2 to 1.6.0, measured. */
export const piDialect: PiDialect = {
  name: 'pi',
  other: 'xcsh',
  saysReady: false,
  isSerial: false,
  answersPromptsEarly: false,
  tellsQueue: true,
  listsCommands: true,
  forkCommand: 'fork',
  clones: true,
  takesHostTools: false,
  zeroIsTimeout: false,
};

/** Source: xcsh 17.4.4 and omp 14.9.9, measured. */
export const xcshDialect: PiDialect = {
  name: 'xcsh',
  other: 'pi',
  saysReady: true,
  isSerial: true,
  answersPromptsEarly: true,
  tellsQueue: false,
  listsCommands: false,
  forkCommand: 'branch',
  clones: false,
  takesHostTools: true,
  zeroIsTimeout: true,
};
