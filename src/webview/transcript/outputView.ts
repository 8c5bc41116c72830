/** The text output of a tool: the last lines at first, more on demand, the rest in the editor. */
import { printedText, printedWithStyles } from '../../core/base/terminalCodes.js';
import { copyButton, el, iconButton, setText, textButton } from '../base/dom.js';
import { formatCount } from '../base/formatText.js';

const linesShown = 12;
/** What a page can lay out without a pause; longer output is better opened in the editor. */
const limitCharacters = 200_000;
export interface OutputActions {
  copy(text: string): void;
  openInEditor(): void;
  openTerminal(): void;
}

export class OutputView {
  readonly element: HTMLElement;
  /** Hidden unless the output is that of a terminal. */
  readonly terminal: HTMLButtonElement;
  readonly #pre = el('pre', { class: 'output', tabindex: '0', 'aria-label': 'Output', dir: 'ltr' });
  readonly #more = textButton('', () => this.#toggle(), 'text-button');
  /** Only shown for an output that is longer than the visible part. */
  readonly #actions = el('div', { class: 'output-actions' });
  #text = '';
  /** The number of lines up to `#counted`. */
  #lines = 1;
  #counted = 0;
  #all = false;
  #frame: number | undefined;

  constructor(actions: OutputActions) {
    const open = textButton('Open in editor', () => actions.openInEditor(), 'text-button');
    this.#actions.append(this.#more, open);
    this.terminal = iconButton('terminal', 'Open as Terminal', () => actions.openTerminal());
    this.terminal.classList.add('copy-button', 'output-terminal');
    this.element = el(
      'div',
      { class: 'output-block' },
      this.#pre,
      copyButton(
        'Copy output',
        () => printedText(this.#text),
        (text) => actions.copy(text),
      ),
      this.terminal,
      this.#actions,
    );
  }

  set(text: string): void {
    if (text === this.#text) return;
    if (!text.startsWith(this.#text)) [this.#counted, this.#lines] = [0, 1];
    this.#text = text;
    this.#drawSoon();
  }

  dispose(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
  }

  #drawSoon(): void {
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined;
      this.#draw();
    });
  }

  /** Output only grows at its end, so lines are counted once. */
  #count(): void {
    for (let at = this.#text.indexOf('\n', this.#counted); at !== -1; at = this.#text.indexOf('\n', at + 1)) this.#lines++;
    this.#counted = this.#text.length;
  }

  #toggle(): void {
    this.#all = !this.#all;
    this.element.classList.toggle('all', this.#all);
    this.#draw();
  }

  #drawText(output: string): void {
    const text = printedWithStyles(output).replace(/\n$/, '');
    if (!text.includes('\x1b')) return setText(this.#pre, text);
    if (drawStyled !== undefined) return drawStyled(this.#pre, text);
    setText(this.#pre, printedText(text));
    void loadStyles().then(() => drawStyled !== undefined && this.#drawSoon());
  }

  #draw(): void {
    const lastLines = startOfLastLines(this.#text);
    // A single line may be longer than that.
    const limit = Math.max(0, this.#text.length - limitCharacters);
    this.#drawText(this.#text.slice(this.#all ? limit : Math.max(limit, lastLines)));
    this.#more.hidden = lastLines === 0;
    this.#actions.hidden = lastLines === 0 && limit === 0;
    this.#count();
    setText(this.#more, this.#all ? 'Show less' : `Show all (${formatCount(this.#lines)} lines)`);
  }
}

/** Only some outputs have styles. */
let drawStyled: ((pre: HTMLElement, text: string) => void) | undefined;
let loading: Promise<void> | undefined;

/** Resolves when what draws styles is loaded. Never rejects. */
function loadStyles(): Promise<void> {
  return (loading ??= import('./styledOutput.js').then((chunk) => void (drawStyled = chunk.drawStyled), reportError));
}

/** Returns where the last lines begin; a trailing newline does not begin a line. */
function startOfLastLines(text: string): number {
  let at = text.endsWith('\n') ? text.length - 1 : text.length;
  for (let line = 0; line < linesShown; line++) {
    at = text.lastIndexOf('\n', at - 1);
    if (at <= 0) return 0;
  }
  return at + 1;
}
