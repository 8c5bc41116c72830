/**
 * What is still open where a Markdown text is interrupted, so that the rest can be drawn below the interruption as what it is: code as code,
 * rows as rows of their table, nested items as items.
 */

/** A quote or an item of a list around a line. */
interface Container {
  /** What the first line of an empty one looks like. */
  readonly marker: string;
  /** The columns of an item's text; 0 for a quote. */
  readonly indent: number;
}

interface Fence {
  /** The whole opening line, without its containers. */
  readonly line: string;
  readonly closing: RegExp;
  readonly depth: number;
}

/** What is open at the end of a text. */
export interface OpenBlocks {
  readonly containers: readonly Container[];
  readonly fence: Fence | undefined;
  /** The lines of the head of a table. */
  readonly table: readonly [string, string] | undefined;
  /** The text ends inside a line. */
  readonly isInLine: boolean;
}

/** Returns what closes the code in which a text ends, for a program that shows something else below it. */
export function closingOf({ containers, fence, isInLine }: OpenBlocks): string {
  if (fence === undefined) return '';
  return `${isInLine ? '\n' : ''}${linePrefixOf(containers)}${/`{3,}|~{3,}/.exec(fence.line)?.[0]}`;
}

/**
 * @param open what is open where the text was interrupted
 * @param rest the text after the interruption, as far as it is known
 * @returns what to put before `rest`; often nothing
 */
export function openingOf({ containers, fence, table, isInLine }: OpenBlocks, rest: string): string {
  const first = containers.map(({ marker }) => marker).join('');
  const later = linePrefixOf(containers);
  const linePrefix = isInLine ? later : '';
  if (fence !== undefined) return `${first}${fence.line}\n${linePrefix}`;
  if (table !== undefined) return `${first}${table[0]}\n${later}${table[1]}\n${linePrefix}`;
  if (isInLine) return '';
  // The next line shows how deep it belongs.
  let left = /^ */.exec(rest)?.[0].length ?? 0;
  const around = containers.filter(({ indent }) => indent > 0 && (left -= indent) >= 0);
  return around.length === 0
    ? ''
    : `${around
        .map(({ marker }) => marker)
        .join('')
        .trimEnd()}\n`;
}

/** What each further line of the containers begins with. */
function linePrefixOf(containers: readonly Container[]): string {
  return containers.map(({ marker, indent }) => (indent === 0 ? marker : ' '.repeat(indent))).join('');
}

export function openBlocksOf(text: string): OpenBlocks {
  const lines = text.split('\n');
  const isInLine = lines.at(-1) !== '';
  if (!isInLine) lines.pop();
  let containers: readonly Container[] = [];
  let fence: Fence | undefined;
  let table: readonly [string, string] | undefined;
  let paragraph: string | undefined;
  for (const line of lines) {
    const inside = enter(line, containers);
    let { rest } = inside;
    if (fence !== undefined && inside.depth >= fence.depth) {
      if (fence.closing.test(rest)) fence = undefined;
      continue;
    }
    fence = undefined;
    if (rest.trim() === '') {
      [table, paragraph] = [undefined, undefined];
      continue;
    }
    const begun = containersIn(rest);
    rest = begun.rest;
    const goesOn = inside.depth < containers.length && begun.containers.length === 0 && paragraph !== undefined;
    const opening = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(rest)?.[1];
    if (!goesOn || opening !== undefined) {
      if (inside.depth < containers.length || begun.containers.length > 0) [table, paragraph] = [undefined, undefined];
      containers = [...containers.slice(0, inside.depth), ...begun.containers];
    }
    if (opening !== undefined) {
      fence = { line: rest, closing: new RegExp(`^ {0,3}${opening}[${opening.charAt(0)}]*\\s*$`), depth: containers.length };
      [table, paragraph] = [undefined, undefined];
    } else if (table === undefined) {
      if (paragraph?.includes('|') === true && isDelimiterRow(rest)) table = [paragraph, rest];
      paragraph = rest;
    } else if (/^ {0,3}(?:#{1,6} |>|<)/.test(rest)) {
      table = undefined;
    }
  }
  return { containers, fence, table, isInLine };
}

/** Strips what the containers put before a line. A blank line is inside of all items. */
function enter(line: string, containers: readonly Container[]): { readonly rest: string; readonly depth: number } {
  let rest = line;
  let depth = 0;
  for (const { indent } of containers) {
    const prefix = indent === 0 ? /^ {0,3}> ?/.exec(rest)?.[0] : rest.startsWith(' '.repeat(indent)) ? rest.slice(0, indent) : undefined;
    if (prefix === undefined && (indent === 0 || rest.trim() !== '')) break;
    rest = rest.slice(prefix?.length ?? 0);
    depth++;
  }
  return { rest, depth };
}

function containersIn(line: string): { readonly rest: string; readonly containers: readonly Container[] } {
  const containers: Container[] = [];
  let rest = line;
  for (;;) {
    const quote = /^ {0,3}> ?/.exec(rest)?.[0];
    const item = quote === undefined ? /^ {0,3}(?:[-+*]|\d{1,9}[.)])(?: {1,4}(?=\S)| *$| )/.exec(rest)?.[0] : undefined;
    const marker = quote ?? item;
    if (marker === undefined || /^ {0,3}(?:(?:- *){3,}|(?:\* *){3,})$/.test(rest)) return { rest, containers };
    containers.push(quote === undefined ? { marker: marker.padEnd(2), indent: Math.max(2, marker.length) } : { marker: '> ', indent: 0 });
    rest = rest.slice(marker.length);
  }
}

function isDelimiterRow(line: string): boolean {
  return line.includes('|') && line.includes('-') && /^[\s|:-]+$/.test(line);
}
