/** The output of an agent's command as a terminal of the editor: as it was, and live. It is only shown; closing it ends nothing. */
import * as vscode from 'vscode';
import { type Disposable, DisposableStore, Emitter, printedWithStyles } from '../../core/index.js';

/** What the terminal shows. */
export interface CommandOutput {
  /** All output so far, with control sequences. */
  readonly text: string;
  /** How the command ended, in words; absent while it runs. */
  readonly end?: string;
}

export interface OutputSource {
  /** Identifies the command. It has one terminal. */
  readonly id: string;
  readonly name: string;
  /** @returns undefined once the command is not known any more */
  read(): CommandOutput | undefined;
  onChange(listener: () => void): Disposable;
}

/** Clears what is visible, and what was scrolled away. */
const clear = '\x1b[2J\x1b[3J\x1b[H';

export class OutputTerminals implements Disposable {
  readonly #store = new DisposableStore();
  readonly #open = new Map<string, vscode.Terminal>();

  constructor() {
    this.#store.add(
      vscode.window.onDidCloseTerminal((closed) => {
        for (const [id, terminal] of this.#open) if (terminal === closed) this.#open.delete(id);
      }),
    );
  }

  /** Shows the terminal of the command, without the keyboard focus. */
  show(source: OutputSource): void {
    const { id, name } = source;
    let terminal = this.#open.get(id);
    if (terminal === undefined) {
      terminal = vscode.window.createTerminal({
        name,
        pty: outputPty(source),
        iconPath: new vscode.ThemeIcon('output'),
        isTransient: true,
      });
      this.#open.set(id, terminal);
    }
    terminal.show(true);
  }

  dispose(): void {
    this.#store.dispose();
    for (const terminal of this.#open.values()) terminal.dispose();
    this.#open.clear();
  }
}

/** Exported for tests. Only styles reach the terminal: what an agent's command prints may control it in no other way. */
export function outputPty(source: OutputSource): vscode.Pseudoterminal {
  const written = new Emitter<string>();
  let watching: Disposable | undefined;
  let shown = '';
  const draw = (): void => {
    const output = source.read();
    if (output === undefined) return;
    const end = output.end === undefined ? '' : `\n\x1b[2m[${output.end}]\x1b[0m\n`;
    const text = printedWithStyles(output.text).replace(/\n$/, output.end === undefined ? '\n' : '') + end;
    if (text === shown) return;
    const change = text.startsWith(shown) ? text.slice(shown.length) : clear + text;
    shown = text;
    written.fire(change.replaceAll('\n', '\r\n'));
  };
  return {
    onDidWrite: written.event,
    open() {
      draw();
      watching = source.onChange(draw);
    },
    close() {
      watching?.dispose();
      written.dispose();
    },
  };
}
