/**
 * A task on a piece of code, as a prompt: a command, the piece with its place, and what else belongs to it. In the ordinary blocks of a prompt, so that
 * everything that keeps, shows and sends prompts does so with tasks. Pure.
 */
import type { ContentBlock, ResourceBlock } from './content.js';

export const codeTaskKinds = ['explain', 'docstring', 'optimize', 'fix', 'unittest'] as const;
export type CodeTaskKind = (typeof codeTaskKinds)[number];

/** 0-based, `character` in UTF-16 units. */
export interface TextPosition {
  readonly line: number;
  readonly character: number;
}

/** `end` is exclusive. */
export interface TextRange {
  readonly start: TextPosition;
  readonly end: TextPosition;
}

export interface TextPiece {
  readonly range: TextRange;
  readonly text: string;
}

/** `kind`: as the editor calls it, e.g. `Function`. */
export interface CodeSymbol {
  readonly name: string;
  readonly kind: string;
  readonly range: TextRange;
  readonly children: readonly CodeSymbol[];
}

export interface CodeTask {
  readonly kind: CodeTaskKind;
  /** `file:` URI of the file. */
  readonly uri: string;
  readonly selected: TextPiece;
  /** What is visible around it. */
  readonly visible?: TextPiece;
  /** The text of the whole file. */
  readonly whole?: string;
  /** Of the function that it is about, where an editor knows them. */
  readonly symbols?: readonly CodeSymbol[];
}

const symbolsType = 'application/vnd.acp-host.symbols+json';

export function taskPrompt({ kind, uri, selected, visible, whole, symbols }: CodeTask): readonly ContentBlock[] {
  const pieces = [selected, ...(visible === undefined ? [] : [visible])];
  return [
    { type: 'text', text: `/${kind}` },
    ...pieces.map(({ range, text }) => resource(`${uri}#${placeOf(range)}`, text)),
    ...(whole === undefined ? [] : [resource(uri, whole)]),
    ...(symbols === undefined ? [] : [resource(uri, JSON.stringify(symbols), symbolsType)]),
  ];
}

/**
 * @param parseSymbols of what an editor attached
 * @returns undefined for a prompt that is no task; a file without a place in it is selected as a whole
 */
export function readTask(
  [command, ...blocks]: readonly ContentBlock[],
  parseSymbols: (json: string) => readonly CodeSymbol[] | undefined,
): CodeTask | undefined {
  const name = command?.type === 'text' ? command.text.trim().replace(/^\//, '') : '';
  const kind = command?.type === 'text' && command.text.trim().startsWith('/') ? codeTaskKinds.find((known) => known === name) : undefined;
  const files = blocks.flatMap((block) => (block.type === 'resource' && 'text' in block.resource ? [block.resource] : []));
  const code = files.filter(({ mimeType }) => mimeType !== symbolsType);
  const pieces = code.flatMap(({ uri, text }) => {
    const range = rangeIn(uri);
    return range === undefined ? [] : [{ range, text }];
  });
  const file = code.find(({ uri }) => rangeIn(uri) === undefined);
  const selected = pieces[0] ?? (file && { range: wholeRange(file.text), text: file.text });
  const uri = code[0]?.uri.replace(/#.*$/, '');
  if (kind === undefined || uri === undefined || selected === undefined) return undefined;
  const [, visible] = pieces;
  const symbols = files.find(({ mimeType }) => mimeType === symbolsType);
  const known = symbols && parseSymbols(symbols.text);
  return { kind, uri, selected, ...(visible && { visible }), ...(file && { whole: file.text }), ...(known && { symbols: known }) };
}

/** The text between the places; undefined where the text has no such places, or there is nothing between them. */
export function pieceOf(text: string, range: TextRange): TextPiece | undefined {
  const [start, end] = [offsetOf(text, range.start), offsetOf(text, range.end)];
  return start === undefined || end === undefined || start >= end ? undefined : { range, text: text.slice(start, end) };
}

export function wholeRange(text: string): TextRange {
  const lines = text.split('\n');
  return { start: { line: 0, character: 0 }, end: { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 } };
}

/** Further away nothing is looked for. */
const searchedChars = 10_000;

/** By the words that introduce a function in common languages. */
const definitions = [
  /\b(?:def|func|fn|fun|sub|function\*?)\s+(?:\([^)]*\)\s*)?([A-Za-z_$][\w$]*)/g,
  /\b(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s*(?::[^=\n]+)?=\s*(?:async\s*)?(?:function\b|\([^)]*\)[^=\n]*=>|[A-Za-z_$][\w$]*\s*=>)/g,
  /(?:^|\n)[ \t]*(?:[A-Za-z_$][\w$<>[\]*&:, ]*[ \t*&])?(?!(?:if|for|while|switch|catch|return|else)\b)([A-Za-z_$][\w$]*)\s*\([^;{}]*\)[^;{}\n]*\{/g,
];

/** Of what is selected: by the symbols of an editor, else by what is defined in it, else by what is defined last before it. */
export function functionNameOf({ selected, symbols, whole }: CodeTask): string | undefined {
  const symbol = symbols?.find(({ kind }) => /function|method|constructor/i.test(kind)) ?? symbols?.[0];
  if (symbol !== undefined) return symbol.name;
  const before = whole === undefined ? '' : whole.slice(0, offsetOf(whole, selected.range.start) ?? 0);
  return namesIn(selected.text.slice(0, searchedChars))[0] ?? namesIn(before.slice(-searchedChars)).at(-1);
}

function namesIn(text: string): readonly string[] {
  const found = definitions.flatMap((pattern) => [...text.matchAll(pattern)]);
  return found.sort((one, other) => one.index - other.index).flatMap(([, name]) => name ?? []);
}

function offsetOf(text: string, { line, character }: TextPosition): number | undefined {
  let start = 0;
  for (let at = 0; at < line; at++) {
    start = text.indexOf('\n', start) + 1;
    if (start === 0) return undefined;
  }
  const end = text.indexOf('\n', start);
  const length = (end < 0 ? text.length : end) - start;
  return character <= length ? start + character : undefined;
}

/** What an editor knows of the code, in place of the code. */
export function isSymbolsBlock({ resource: { mimeType } }: ResourceBlock): boolean {
  return mimeType === symbolsType;
}

function resource(uri: string, text: string, mimeType?: string): ResourceBlock {
  return { type: 'resource', resource: { uri, text, ...(mimeType === undefined ? {} : { mimeType }) } };
}

/** 1-based, as people and editors write it. */
function placeOf({ start, end }: TextRange): string {
  const place = ({ line, character }: TextPosition): string => `L${line + 1}:${character + 1}`;
  return `${place(start)}-${place(end)}`;
}

/** Of the piece of a file that its URI names; undefined for the whole of it. */
export function rangeIn(uri: string): TextRange | undefined {
  const numbers = /#L(\d+):(\d+)-L(\d+):(\d+)$/.exec(uri)?.slice(1).map(Number);
  if (numbers === undefined) return undefined;
  const [startLine = 1, startColumn = 1, endLine = 1, endColumn = 1] = numbers;
  return { start: { line: startLine - 1, character: startColumn - 1 }, end: { line: endLine - 1, character: endColumn - 1 } };
}
