/** Maps Markdown tokens to nodes. Anything that is not listed here cannot appear: other HTML is shown as text. */
import type { MarkedToken, Token, Tokens } from 'marked';
import { breakable, el, icon } from '../base/dom.js';
import { emptyLinks, lex } from './boundedLexer.js';
import { createCodeBlock, type CodeContext } from './codeBlock.js';
import { OpenDetails, partsOf } from './details.js';
import { decodeReferences } from './entities.js';
import { linkIntent } from './links.js';
import { honestLink, imageLink } from './linkClicks.js';
import { isPicture } from './workspaceImages.js';

/** Returns null if the token has nothing to show. */
export function renderBlock(generic: Token, context: CodeContext): HTMLElement | null {
  const token = generic as MarkedToken;
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading':
      return el(headings[token.depth - 1] ?? 'h6', { dir: 'auto' }, ...renderInline(token.tokens));
    case 'paragraph':
      return el('p', { dir: 'auto' }, ...renderInline(token.tokens));
    case 'code':
      return renderCode(token, context);
    case 'blockquote':
      return withLabel(el('blockquote', { dir: 'auto' }, ...renderBlocks(token.tokens, context)), token.text);
    case 'list':
      return renderList(token, context);
    case 'table':
      return renderTable(token);
    case 'hr':
      return el('hr');
    case 'html':
      if (inlineTag.test(token.raw)) return el('p', {}, ...renderInline([token]));
      return el('p', { class: 'raw-html' }, ...breakable(token.raw.trimEnd()));
    default:
      return el('p', { dir: 'auto' }, ...renderInline([token]));
  }
}

/** The first line of a callout: `> [!NOTE]`. */
const callout = /^\s*\[!(note|tip|important|warning|caution)\] *(?:\n|$)/i;

/** A callout is a quote with a label. */
function withLabel(quote: HTMLElement, written: string): HTMLElement {
  const words = quote.firstChild?.firstChild;
  const kind = callout.exec(written)?.[1];
  if (kind !== undefined && words instanceof Text) {
    words.data = words.data.replace(callout, '');
    words.before(el('strong', {}, kind[0]?.toUpperCase() + kind.slice(1).toLowerCase()));
    // Two spaces at the end of the line are a break, too.
    if (words.nextSibling?.nodeName !== 'BR') words.before(el('br'));
  }
  return quote;
}

const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'] as const;

/** Renders the blocks inside another one. */
function renderBlocks(tokens: readonly Token[], context: CodeContext): (Node | string)[] {
  const nodes: (Node | string)[] = [];
  const details = new OpenDetails();
  const place = (...drawn: (Node | string)[]): void => {
    if (details.body === undefined) nodes.push(...drawn);
    else details.body.append(...drawn);
  };
  for (const token of tokens) {
    const parts = partsOf(token);
    if (parts === undefined) place(...renderInner(token, context));
    else details.take(parts, place, (markdown) => place(...lex(markdown, emptyLinks()).flatMap((each) => renderInner(each, context))));
  }
  return nodes;
}

function renderInner(token: Token, context: CodeContext): (Node | string)[] {
  // Tight items contain their text without a paragraph.
  if (token.type === 'text') return renderInline((token as Tokens.Text).tokens ?? [token]);
  if (token.type === 'checkbox') return renderInline([token]);
  const block = renderBlock(token, context);
  return block === null ? [] : [block];
}

function renderCode(token: Tokens.Code, context: CodeContext): HTMLElement {
  const block = createCodeBlock(token.lang ?? '', context);
  block.append(token.text);
  return block.element;
}

function renderList(token: Tokens.List, context: CodeContext): HTMLElement {
  const list = el(token.ordered ? 'ol' : 'ul', {
    start: token.ordered && token.start !== 1 ? String(token.start) : undefined,
    dir: 'auto',
  });
  list.append(...token.items.map((item) => renderListItem(item, context)));
  return list;
}

export function renderListItem(item: Tokens.ListItem, context: CodeContext): HTMLElement {
  return el('li', { class: item.task ? 'task' : undefined }, ...renderBlocks(item.tokens, context));
}

function renderTable(token: Tokens.Table): HTMLElement {
  const row = (cells: readonly Tokens.TableCell[], name: 'th' | 'td'): HTMLElement =>
    el(
      'tr',
      {},
      ...cells.map((cell) =>
        el(name, { class: cell.align === null ? undefined : `align-${cell.align}`, dir: 'auto' }, ...renderInline(cell.tokens)),
      ),
    );
  const table = el('table', {}, el('thead', {}, row(token.header, 'th')), el('tbody', {}, ...token.rows.map((cells) => row(cells, 'td'))));
  return el('div', { class: 'table', role: 'region', 'aria-label': 'Table', tabindex: '0' }, table);
}

/** The HTML that is rendered inside a line. A tag with attributes is text. */
const inlineTag = /^<(\/?)(br|kbd|sub|sup)\s*\/?>\s*$/i;
const pairedTags = ['kbd', 'sub', 'sup'] as const;

export function renderInline(tokens: readonly Token[]): (Node | string)[] {
  const nodes: (Node | string)[] = [];
  /** The last tag without an end, and its position. There is only one, so that tags make no deep nesting. */
  let open: (typeof pairedTags)[number] | undefined;
  let openAt = 0;
  for (const token of tokens) {
    const [, slash, name] = (token.type === 'html' && inlineTag.exec(token.raw.toLowerCase())) || [];
    if (name === 'br') nodes.push(el('br'));
    else if (slash === '/' && name === open && open !== undefined) {
      nodes.push(el(open, {}, ...nodes.splice(openAt).slice(1)));
      open = undefined;
    } else {
      if (slash === '') [open, openAt] = [pairedTags.find((tag) => tag === name), nodes.length];
      const span = renderSpan(token as MarkedToken);
      nodes.push(...(typeof span === 'string' ? breakable(span) : [span]));
    }
  }
  return nodes;
}

function renderSpan(token: MarkedToken): Node | string {
  switch (token.type) {
    case 'strong':
    case 'em':
    case 'del':
      return el(token.type, {}, ...renderInline(token.tokens));
    case 'codespan':
      return el('code', { dir: 'ltr' }, ...breakable(token.text));
    case 'br':
      return el('br');
    case 'link':
      return renderLink(token);
    case 'image':
      return renderImage(token);
    case 'checkbox':
      return renderCheckbox(token.checked);
    case 'text':
      return token.tokens === undefined ? decodeReferences(token.text) : el('span', {}, ...renderInline(token.tokens));
    case 'escape':
      return decodeReferences(token.text);
    default:
      return token.raw;
  }
}

function renderLink(token: Tokens.Link): Node {
  const intent = linkIntent(token.autolink === true ? token.href : decodeReferences(token.href));
  const content = token.autolink === true ? [token.text] : renderInline(token.tokens);
  return intent === undefined ? el('span', { title: 'This link cannot be opened' }, ...content) : honestLink(intent, ...content);
}

/** Pictures are never loaded from elsewhere, because a URL can leak data. */
function renderImage(token: Tokens.Image): Node {
  const words = decodeReferences(token.text);
  const label = words === '' ? 'Image' : `Image: ${words}`;
  const href = decodeReferences(token.href);
  if (isPicture(href)) return el('img', { src: href, alt: words || 'Image' });
  const intent = linkIntent(href);
  const content = [icon('file-media'), ` ${label}`];
  return intent === undefined ? el('span', { class: 'placeholder' }, ...content) : imageLink(intent, ...content);
}

function renderCheckbox(checked: boolean): Node {
  return el('input', { type: 'checkbox', disabled: '', checked: checked ? '' : undefined, 'aria-label': checked ? 'Done' : 'To do' });
}
