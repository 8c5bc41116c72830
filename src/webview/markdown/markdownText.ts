/**
 * Markdown texts of the conversation. Parsing and drawing Markdown takes a quarter of all script, so it is a separate chunk: an empty chat
 * and a request open without it. If the chunk does not arrive, texts are shown as they were written.
 */
import { breakable, el } from '../base/dom.js';
import type { MarkdownContext } from './codeBlock.js';
import type { MarkdownText } from './streamView.js';

class PlainText implements MarkdownText {
  readonly element = el('div', { class: 'plain-text', dir: 'auto' });

  get text(): string {
    return this.element.textContent;
  }

  append(text: string): void {
    this.element.append(...breakable(text));
  }

  set(text: string): void {
    this.element.replaceChildren(...breakable(text));
  }

  end(): void {
    // Everything is drawn already.
  }

  dispose(): void {
    // Nothing goes on without the page.
  }
}

/** After this time, texts are shown as they were written. The next ones are drawn when the chunk has arrived. */
const patienceMs = 10_000;
let create: ((context: MarkdownContext) => MarkdownText) | undefined;
let loading: Promise<void> | undefined;

/**
 * Call this before anything that contains Markdown is drawn.
 * @returns a promise that resolves when it can be drawn, and never rejects; undefined if it can be drawn now
 */
export function loadMarkdown(): Promise<void> | undefined {
  if (create !== undefined) return undefined;
  return (loading ??= new Promise((resolve) => {
    const doWithout = (error: unknown): void => {
      reportError(error);
      create = () => new PlainText();
      resolve();
    };
    const timer = setTimeout(() => doWithout(new Error('What draws Markdown is not loaded yet.')), patienceMs);
    import('./streamView.js')
      .then(({ MarkdownView }) => {
        create = (context) => new MarkdownView(context);
        resolve();
      }, doWithout)
      .finally(() => clearTimeout(timer));
  }));
}

export function createMarkdown(context: MarkdownContext): MarkdownText {
  if (create === undefined) throw new Error('Markdown is drawn before it is loaded.');
  return create(context);
}
