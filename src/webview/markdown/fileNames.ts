/**
 * Names and paths in inline code, such as `README.md` and `src/a.ts:12`, and paths in plain words. Only the host knows whether they are
 * files, so they become links when it has answered.
 */
import { linkElement } from './linkClicks.js';
import { placeIn } from './links.js';

export interface FoundFile {
  readonly name: string;
  readonly path: string;
}

export interface FileNames {
  /** Call this once for a complete block. */
  linkWithin(block: Element): void;
  /** Call this with the files among the requested names. */
  found(files: readonly FoundFile[]): void;
  /** Call this when the page shows another conversation, perhaps of another folder. */
  forget(): void;
}

/** Matches names with an extension, and common file names without one. */
const bareName =
  /^(?:[\p{L}\p{N}_@+[(-][\p{L}\p{M}\p{N}_@.+()[\]-]*\.[A-Za-z]\w{0,7}|Makefile|Dockerfile|LICENSE|README|CHANGELOG|\.[a-z][\w.-]*)$/u;
/** Matches whatever may be a path: it has a folder, and is not a URL. */
const path = /^(?!\w+:\/\/)[^\n]*[\p{L}\p{N}_][\\/]|^[\\/.~]*[\\/][\p{L}\p{N}_.@[(]/u;
const longestName = 300;
const word = /[^\s"'<>|*`()[\],;“”‘’]+/gu;
/** The number of names that are requested at a time. Further names, which a model may invent, stay plain. */
const mostAsked = 50;
const askAfterMs = 100;

/** @param ask may be answered by `found` */
export function createFileNames(ask: (names: string[]) => void): FileNames {
  /** The value is undefined if the name was requested, or if there is no such file. */
  const known = new Map<string, FoundFile | undefined>();
  const waiting = new Map<string, Element[]>();
  const wanted = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const send = (): void => {
    timer = undefined;
    const next = [...wanted].slice(0, mostAsked);
    for (const name of next) wanted.delete(name);
    if (next.length > 0) ask(next);
    if (wanted.size > 0) timer = setTimeout(send, askAfterMs);
  };
  const want = (name: string, code: Element): void => {
    const file = known.get(name);
    if (file !== undefined) return link(code, file);
    const places = waiting.get(name) ?? [];
    places.push(code);
    waiting.set(name, places);
    // A path may have been created since, and looking for it is cheap. A name is searched for in the whole folder.
    if (path.test(name) ? wanted.has(name) : known.has(name)) return;
    known.set(name, undefined);
    wanted.add(name);
    timer ??= setTimeout(send, askAfterMs);
  };
  return {
    linkWithin(block) {
      for (const code of block.getElementsByTagName('code')) {
        const { path: name } = placeIn(code.textContent);
        if (name.length <= longestName && (bareName.test(name) || path.test(name)) && code.closest('a, pre') === null) want(name, code);
      }
      for (const [words, places] of placesInWords(block))
        wrap(words, places).forEach((place) => want(placeIn(place.textContent).path, place));
    },
    found(files) {
      for (const file of files) {
        known.set(file.name, file);
        for (const code of waiting.get(file.name) ?? []) if (code.isConnected) link(code, file);
        waiting.delete(file.name);
      }
    },
    forget() {
      clearTimeout(timer);
      timer = undefined;
      wanted.clear();
      known.clear();
      waiting.clear();
    },
  };
}

/** @returns the words that may name files, by the text that contains them */
function placesInWords(block: Element): readonly (readonly [Text, readonly RegExpExecArray[]])[] {
  const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
  const found: [Text, RegExpExecArray[]][] = [];
  while (walker.nextNode() !== null) {
    const text = walker.currentNode;
    if (!(text instanceof Text) || text.parentElement?.closest('a, code, pre, button') != null) continue;
    const places = [...text.data.matchAll(word)].filter(([one]) => one.length <= longestName && mayBePlace(withoutStop(one)));
    if (places.length > 0) found.push([text, places]);
  }
  return found;
}

/** Plain words such as "Node.js" look like names of files, so a place has a folder or a line, and an extension. */
function mayBePlace(one: string): boolean {
  if (!/[/\\]|[:#]L?\d/.test(one)) return false;
  const { path: name, line } = placeIn(one);
  return /\.[A-Za-z]\w{0,7}$/.test(name) && (line === undefined ? path.test(name) : bareName.test(name) || path.test(name));
}

function withoutStop(one: string): string {
  return one.replace(/[.:!?…]+$/, '');
}

/** Puts each of the words in an element of its own. */
function wrap(text: Text, words: readonly RegExpExecArray[]): readonly Element[] {
  return words
    .toReversed()
    .map(({ 0: one, index }) => {
      const place = text.splitText(index);
      place.splitText(withoutStop(one).length);
      const element = document.createElement('span');
      place.replaceWith(element);
      element.append(place);
      return element;
    })
    .reverse();
}

function link(code: Element, { path }: FoundFile): void {
  const place = document.createComment('');
  code.replaceWith(place);
  place.replaceWith(linkElement({ ...placeIn(code.textContent), type: 'openLocation', path }, code));
}
