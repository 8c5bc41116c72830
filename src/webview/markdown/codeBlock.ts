/**
 * A code block: the language, a Copy button, and lines in pieces of 64, so that appending to a long block takes no longer than to a short
 * one.
 */
import { breakable, copyButton, el, iconButton } from '../base/dom.js';
import type { FileNames } from './fileNames.js';
import type { WorkspaceImages } from './workspaceImages.js';

export interface CodeContext {
  readonly copy: (text: string) => void;
  /** Absent if the code does not belong to an answer, as in a request. */
  readonly toEditor?: Readonly<Record<'insert' | 'compare' | 'apply', (text: string) => void>>;
}

/** What rendering a whole text requires. */
export interface MarkdownContext extends CodeContext {
  readonly fileNames: FileNames;
  readonly images: WorkspaceImages;
  /** Follows the end of the conversation. Called in the frame that drew, so that the browser lays that frame out once and not twice. */
  readonly follow: () => void;
}

export interface CodeBlock {
  readonly element: HTMLElement;
  append(text: string): void;
}

/** Languages whose code stands for something that is not rendered here. */
const names: Readonly<Record<string, string>> = { math: 'Math', mermaid: 'Mermaid diagram' };
const linesPerPiece = 64;
const blocks = new WeakMap<Element, CodeBlock>();

export function createCodeBlock(info: string, context: CodeContext): CodeBlock {
  const language = /^[\w#+.-]*/.exec(info)?.[0] ?? '';
  const code = el('code', { dir: 'ltr', 'data-language': language });
  const textOf = (): string => code.textContent ?? '';
  const element = el(
    'div',
    { class: 'code-block' },
    el(
      'div',
      { class: 'code-head' },
      el('span', { class: 'code-language' }, names[language] ?? language),
      el('span', { class: 'code-actions' }, ...buttonsFor(textOf, context)),
    ),
    el('pre', {}, code),
  );
  let text: Text | undefined;
  let lines = 0;
  const addPiece = (): Text => {
    const piece = document.createTextNode('');
    code.append(el('span', { class: 'code-piece' }, piece));
    lines = 0;
    return piece;
  };
  const block: CodeBlock = {
    element,
    append(added) {
      for (let at = 0; at < added.length; ) {
        if (text === undefined || lines >= linesPerPiece) text = addPiece();
        let end = at;
        while (end < added.length && lines < linesPerPiece) {
          const lineEnd = added.indexOf('\n', end);
          end = lineEnd === -1 ? added.length : lineEnd + 1;
          if (lineEnd !== -1) lines++;
        }
        const [first = '', ...more] = breakable(added.slice(at, end));
        if (typeof first === 'string') text.appendData(first);
        for (const node of more) text = continueAfter(text, node);
        at = end;
      }
    },
  };
  blocks.set(element, block);
  return block;
}

function buttonsFor(text: () => string, { copy, toEditor }: CodeContext): readonly HTMLElement[] {
  const copying = copyButton('Copy code', text, copy);
  if (toEditor === undefined) return [copying];
  return [
    iconButton('insert', 'Insert into Editor', () => toEditor.insert(text())),
    iconButton('diff', 'Compare with Editor', () => toEditor.compare(text())),
    iconButton('git-pull-request-go-to-changes', 'Apply to Editor', () => toEditor.apply(text())),
    copying,
  ];
}

/**
 * Adds a break opportunity or text after the text node.
 * @returns the text node at the end of the piece
 */
function continueAfter(text: Text, node: Node | string): Text {
  const last = typeof node === 'string' ? document.createTextNode(node) : node;
  text.parentNode?.append(last);
  return last instanceof Text ? last : text;
}

/** Returns the block that an element belongs to. */
export function codeBlockOf(element: Element): CodeBlock | undefined {
  return blocks.get(element);
}

/**
 * Lets a block in the page grow to the content of a new one.
 * @returns false if it can't, so that the caller must use the new one
 */
export function growCodeBlock(kept: Element, fresh: Element): boolean {
  const block = blocks.get(kept);
  const before = kept.querySelector('code');
  const after = fresh.querySelector('code');
  if (block === undefined || before?.dataset['language'] !== after?.dataset['language']) return false;
  const [text, grown] = [before?.textContent ?? '', after?.textContent ?? ''];
  if (!grown.startsWith(text)) return false;
  block.append(grown.slice(text.length));
  return true;
}
