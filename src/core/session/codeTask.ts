/**
 * Represents a task on a piece of code as a prompt: a command, the code with its location, and the context that belongs to it. The prompt
 * consists of ordinary content blocks, so everything that saves, shows and sends prompts works for tasks too. Pure.
 */
import type { ContentBlock, ResourceBlock } from './content.js';

/** The tasks on code that a front end offers. */
export const codeTaskKinds = ['explain', 'docstring', 'optimize', 'fix', 'unittest'] as const;
/** The name of a task on code. */
export type CodeTaskKind = (typeof codeTaskKinds)[number];

/** Both numbers are 0-based; `character` counts UTF-16 code units. */
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

/** `kind` is the editor's name for it, for example `Function`. */
export interface CodeSymbol {
  readonly name: string;
  readonly kind: string;
  readonly range: TextRange;
  readonly children: readonly CodeSymbol[];
}

/** A task on a selection of a file. */
export interface CodeTask {
  readonly kind: CodeTaskKind;
  /** `file:` URI of the file. */
  readonly uri: string;
  readonly selected: TextPiece;
  /** The code that is visible around the selection. */
  readonly visible?: TextPiece;
  /** The text of the whole file. */
  readonly whole?: string;
  /** The symbols of the function that the task is about, if an editor provides them. */
  readonly symbols?: readonly CodeSymbol[];
}

const symbolsType = 'application/vnd.acp-host.symbols+json';

/** Returns the task as a prompt: the command, the selection, and the other parts that are present, in this order. */
export function taskPrompt({ kind, uri, selected, visible, whole, symbols }: CodeTask): readonly ContentBlock[] {
  const pieces = [selected, ...(visible === undefined ? [] : [visible])];
  return [
    { type: 'text', text: `/${kind}` },
    ...pieces.map((piece) => codeBlock(uri, piece)),
    ...(whole === undefined ? [] : [resource(uri, whole)]),
    ...(symbols === undefined ? [] : [resource(uri, JSON.stringify(symbols), symbolsType)]),
  ];
}

/**
 * @param parseSymbols parses the symbols that an editor attached
 * @returns undefined for a prompt that is not a task; if no block names a range, the whole file counts as selected
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

/** Returns the text in the range, or undefined if the text has no such range or the range is empty. */
export function pieceOf(text: string, range: TextRange): TextPiece | undefined {
  const [start, end] = [offsetOf(text, range.start), offsetOf(text, range.end)];
  return start === undefined || end === undefined || start >= end ? undefined : { range, text: text.slice(start, end) };
}

/** Returns the range of the whole text, 0-based, in UTF-16 code units. */
export function wholeRange(text: string): TextRange {
  const lines = text.split('\n');
  return { start: { line: 0, character: 0 }, end: { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 } };
}

/** The search for a function name looks no further than this. */
const searchedChars = 10_000;

/** Matches the keywords and the syntax that introduce a function in common languages. */
const definitions = [
  /\b(?:def|func|fn|fun|sub|function\*?)\s+(?:\([^)]*\)\s*)?([A-Za-z_$][\w$]*)/g,
  /\b(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s*(?::[^=\n]+)?=\s*(?:async\s*)?(?:function\b|\([^)]*\)[^=\n]*=>|[A-Za-z_$][\w$]*\s*=>)/g,
  /(?:^|\n)[ \t]*(?:[A-Za-z_$][\w$<>[\]*&:, ]*[ \t*&])?(?!(?:if|for|while|switch|catch|return|else)\b)([A-Za-z_$][\w$]*)\s*\([^;{}]*\)[^;{}\n]*\{/g,
];

/**
 * Returns the name of the selected function: from the editor's symbols, else from the first definition in the selection, else from the last
 * definition before it.
 */
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

/** Whether the block contains an editor's symbols instead of code. */
export function isSymbolsBlock({ resource: { mimeType } }: ResourceBlock): boolean {
  return mimeType === symbolsType;
}

/** Returns a piece of a file as a part of a prompt. @param uri of the file */
export function codeBlock(uri: string, { range, text }: TextPiece): ResourceBlock {
  return resource(codeUri(uri, range), text);
}

/** Returns the URI of a code block. @param uri of the file */
export function codeUri(uri: string, range: TextRange): string {
  return `${uri}#${placeOf(range)}`;
}

function resource(uri: string, text: string, mimeType?: string): ResourceBlock {
  return { type: 'resource', resource: { uri, text, ...(mimeType === undefined ? {} : { mimeType }) } };
}

/** 1-based, as editors show it. */
function placeOf({ start, end }: TextRange): string {
  const place = ({ line, character }: TextPosition): string => `L${line + 1}:${character + 1}`;
  return `${place(start)}-${place(end)}`;
}

/** Returns the range that the URI of a code block names, or undefined if the URI stands for the whole file. */
export function rangeIn(uri: string): TextRange | undefined {
  const numbers = /#L(\d+):(\d+)-L(\d+):(\d+)$/.exec(uri)?.slice(1).map(Number);
  if (numbers === undefined) return undefined;
  const [startLine = 1, startColumn = 1, endLine = 1, endColumn = 1] = numbers;
  return { start: { line: startLine - 1, character: startColumn - 1 }, end: { line: endLine - 1, character: endColumn - 1 } };
}
