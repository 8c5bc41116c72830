/** What the programs of the Pi family do differently on the wire. Everything else is told apart by what they send. */

export interface PiDialect {
  readonly name: 'pi' | 'xcsh';
  /** The one that is spoken where the agent begins in the other way. */
  readonly other: 'pi' | 'xcsh';
  /** It says `ready` when it begins to read. */
  readonly saysReady: boolean;
  /** It reads nothing while it works on a command: the next one is sent when the one before is answered. */
  readonly isSerial: boolean;
  /** Its answer to a prompt comes before it knows whether the prompt leads to anything, and a second answer may follow. */
  readonly answersPromptsEarly: boolean;
  /** It tells what stands in its queue; otherwise the host remembers what it sent. */
  readonly tellsQueue: boolean;
  /** It can list its commands. */
  readonly listsCommands: boolean;
  /** How it begins a session where a message of another one was; the command that lists these is named after it. */
  readonly forkCommand: 'fork' | 'branch';
  /** It can copy a session. */
  readonly clones: boolean;
  /** It can call tools of the host. */
  readonly takesHostTools: boolean;
  /** A time-out of 0 is one that is over at once. */
  readonly zeroIsTimeout: boolean;
}

/** Source: pi 0.74.2 to 1.5.2, measured. */
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
