import { runTool, textContent } from '../toolCall.js';
import { type ShellEnd, runInShell } from '../shell.js';
import type { Turn } from '../turn.js';
import { type Command, fenced, needed } from './command.js';

/** The number of characters of output that a card shows. Of longer output, the card shows the end, which contains results and errors. */
const SHOWN_CHARACTERS = 16_000;
/** Updates are as frequent as a user can follow, because each one contains the whole output. */
const UPDATE_INTERVAL_MS = 100;

export const runCommand: Command = {
  name: 'run',
  hint: 'COMMAND',
  description: 'Run a command in the workspace, after asking',
  async run(turn, input) {
    const command = needed(input.trim(), 'run COMMAND');
    const { root } = turn.session.workspace;
    const end = await runTool(turn, {
      title: command,
      kind: 'execute',
      rawInput: { command, cwd: root },
      permission: { topic: `run:${command}`, scope: 'this command' },
      async run(card) {
        const output = new OutputTail((text) => card.show([textContent(fenced(text))]));
        const shellEnd = await runInShell(command, { cwd: root, signal: turn.signal, onOutput: (text) => output.add(text) });
        await output.finish();
        turn.signal.throwIfAborted();
        const content = output.text === '' ? [textContent('(no output)')] : [textContent(fenced(output.text))];
        return { value: shellEnd, content, rawOutput: { ...shellEnd, output: output.text }, failed: shellEnd.exitCode !== 0 };
      },
    });
    await sayEnd(turn, command, end);
  },
};

async function sayEnd(turn: Turn, command: string, { exitCode, signal }: ShellEnd): Promise<void> {
  if (exitCode === 0) await turn.say(`\`${command}\` exited with code 0.`);
  else await turn.say(`\`${command}\` failed: ${signal ? `terminated by ${signal}` : `exit code ${exitCode}`}.`);
}

/** Collects output and shows it at intervals, one update at a time. */
class OutputTail {
  readonly #show: (text: string) => Promise<void>;
  #text = '';
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;
  #showing: Promise<void> = Promise.resolve();

  constructor(show: (text: string) => Promise<void>) {
    this.#show = show;
  }

  get text(): string {
    return this.#dropped === 0 ? this.#text : `[… ${this.#dropped.toLocaleString('en')} characters before this …]\n${this.#text}`;
  }

  add(text: string): void {
    this.#text += text;
    const excess = this.#text.length - SHOWN_CHARACTERS;
    if (excess > 0) {
      this.#dropped += excess;
      this.#text = this.#text.slice(excess);
    }
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#showing = this.#showing.then(() => this.#show(this.text));
      this.#showing.catch(() => {}); // finish() passes the error to the caller
    }, UPDATE_INTERVAL_MS);
  }

  /**
   * Shows nothing afterwards.
   * @throws what showing threw
   */
  async finish(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#showing;
  }
}
