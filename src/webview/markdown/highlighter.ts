/** A lazily loaded chunk: highlight.js with the languages that coding agents write most, reduced to ranges of a few scopes. */
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import cpp from 'highlight.js/lib/languages/cpp';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import type { Emitter } from 'highlight.js';

/** Offsets are in UTF-16 code units. */
export interface HighlightedRange {
  readonly scope: string;
  readonly start: number;
  readonly end: number;
}

/** Maps scopes of highlight.js (their first part) to names of highlights in transcript.css. */
const scopes: Readonly<Record<string, string>> = {
  keyword: 'keyword',
  literal: 'keyword',
  'selector-tag': 'keyword',
  name: 'keyword',
  tag: 'keyword',
  'meta-keyword': 'keyword',
  string: 'string',
  regexp: 'string',
  'meta-string': 'string',
  quote: 'string',
  number: 'number',
  symbol: 'number',
  bullet: 'number',
  comment: 'comment',
  doctag: 'comment',
  meta: 'comment',
  title: 'title',
  section: 'title',
  'selector-class': 'title',
  'selector-id': 'title',
  type: 'type',
  built_in: 'type',
  attr: 'attribute',
  attribute: 'attribute',
  property: 'attribute',
  variable: 'attribute',
  'template-variable': 'attribute',
  addition: 'addition',
  deletion: 'deletion',
};

/** Collects ranges instead of HTML. */
class RangeEmitter implements Emitter {
  readonly ranges: HighlightedRange[] = [];
  readonly #open: { readonly scope: string | undefined; readonly start: number }[] = [];
  #offset = 0;

  addText(text: string): void {
    this.#offset += text.length;
  }

  startScope(name: string): void {
    this.#open.push({ scope: scopes[name.split('.')[0] ?? ''], start: this.#offset });
  }

  endScope(): void {
    const opened = this.#open.pop();
    if (opened?.scope !== undefined && opened.start < this.#offset)
      this.ranges.push({ scope: opened.scope, start: opened.start, end: this.#offset });
  }

  /** highlight.js 11 calls these two as well, although its types don't contain them. */
  openNode(name: string): void {
    this.startScope(name);
  }

  closeNode(): void {
    this.endScope();
  }

  __addSublanguage(emitter: Emitter): void {
    if (!(emitter instanceof RangeEmitter)) return;
    for (const { scope, start, end } of emitter.ranges) this.ranges.push({ scope, start: start + this.#offset, end: end + this.#offset });
    this.#offset += emitter.#offset;
  }

  finalize(): void {
    while (this.#open.length > 0) this.endScope();
  }

  toHTML(): string {
    return '';
  }
}

const highlighter = hljs.newInstance();
const languages = { bash, cpp, css, diff, go, java, javascript, json, python, rust, sql, typescript, xml, yaml };
for (const [name, language] of Object.entries(languages)) highlighter.registerLanguage(name, language);
highlighter.configure({ __emitter: RangeEmitter });

/** Returns an empty list for an unknown language. */
export function highlightRanges(code: string, language: string): readonly HighlightedRange[] {
  if (highlighter.getLanguage(language) === undefined) return [];
  const { _emitter: emitter } = highlighter.highlight(code, { language, ignoreIllegals: true });
  return emitter instanceof RangeEmitter ? emitter.ranges : [];
}
