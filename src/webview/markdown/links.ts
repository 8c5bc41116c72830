/** Where an agent's link may lead. Nothing in the page has an `href`: a click becomes an intent, and the host decides. */
import type { PageMessage } from '../../contract/pageMessages.js';

export type LinkIntent = Extract<PageMessage, { type: 'openLink' | 'openLocation' }>;

const schemes: ReadonlySet<string> = new Set(['http', 'https', 'mailto', 'file']);
const scheme = /^([a-z][a-z0-9+.-]+):/i;
/** Matches what looks like a URL with a scheme, and is a drive of Windows or a file with a line number. */
const pathWithColon = /^(?:[a-z]:[\\/]|[\w@.-]+\.\w{1,8}(?::\d+)+$)/i;
const lineSuffix = /(?::(\d+)(?:[:–-]\d+)?|#L(\d+)(?:[-C]\S*)?)$/;

/**
 * @param href as the agent wrote it, with character references resolved
 * @returns undefined for a link that must not be followed
 */
export function linkIntent(href: string): LinkIntent | undefined {
  // Browsers ignore control characters and blanks in a scheme, so these must not hide one.
  const target = href.replace(/[\u0000-\u0020\u007f-\u00a0\u2028\u2029]+/g, (blank) => (blank === ' ' ? ' ' : '')).trim();
  const name = scheme.exec(target)?.[1]?.toLowerCase();
  if (name !== undefined && !schemes.has(name)) return pathWithColon.test(target) ? locationIntent(target) : undefined;
  if (name !== undefined) return { type: 'openLink', href: target };
  if (target === '' || target.startsWith('#') || target.startsWith('//')) return undefined;
  return locationIntent(target);
}

/** Splits the number of a line off a path, such as `a.ts:12` or `a.ts#L12`. */
export function placeIn(target: string): { readonly path: string; readonly line?: number } {
  const match = lineSuffix.exec(target);
  return match === null ? { path: target } : { path: target.slice(0, match.index), line: Number(match[1] ?? match[2]) };
}

/**
 * Returns the real target of a link whose text names a different one, to show next to the text.
 * @param words the text of the link
 * @returns undefined if the text names no place, or the real one
 */
export function otherTarget(words: string, intent: LinkIntent): string | undefined {
  const places = words.split(/\s+/).map(trimmed).filter(namesPlace);
  const leadsTo = intent.type === 'openLink' ? leadsToAddress(intent.href) : leadsToFile(intent.path, intent.rest);
  // The name of a file may have several words. After an address, another word may name another place.
  const isFile = intent.type === 'openLocation' || fileOf(intent.href) !== undefined;
  return places.every(leadsTo) || (isFile && leadsTo(trimmed(words.trim()))) ? undefined : targetOf(intent);
}

/** Removes brackets and periods around a word, and invisible characters. */
function trimmed(word: string): string {
  return word.replace(/\p{Cf}/gu, '').replace(/^[("'<[]+|[)"'>\].,;!?]+$/g, '');
}

function namesPlace(word: string): boolean {
  return /[\\/@]|^[\w-]+(?:\.[\w-]+)*\.\w{2,}/.test(word) && /[\p{L}\p{N}]/u.test(word);
}

function leadsToAddress(href: string): (word: string) => boolean {
  const file = fileOf(href);
  if (file !== undefined) return leadsToFile(file);
  const host = hostOf(href);
  return (word) => {
    if (host === '') return href.replace(/^mailto:/i, '').toLowerCase() === word.replace(/^mailto:/i, '').toLowerCase();
    // What precedes an @ does not belong to the host.
    return !word.includes('@') && hostOf(/^[a-z][a-z0-9+.-]*:/i.test(word) ? word : `https://${word}`) === host;
  };
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host.replace(/^www\./, '') : '';
}

/** Returns the path of a file on this computer, decoded; undefined for all other addresses, also those of files on another one. */
export function fileOf(href: string): string | undefined {
  if (!/^file:/i.test(href) || !URL.canParse(href)) return undefined;
  const { host, pathname } = new URL(href);
  return host === '' ? decoded(pathname).replace(/^\/(?=[a-z]:)/i, '') : undefined;
}

function leadsToFile(path: string, rest = ''): (word: string) => boolean {
  const wholes = [`/${plainPath(path)}`, `/${plainPath(path + rest)}`];
  return (word) => {
    const named = `/${plainPath(placeIn(fileOf(word) ?? word).path)}`;
    // An absolute path is the whole path.
    const isWhole = /^(?:\/|file:)/i.test(word) && path.startsWith('/');
    return wholes.some((whole) => (isWhole ? named === whole : whole.endsWith(named)));
  };
}

function plainPath(path: string): string {
  return path.replaceAll('\\', '/').replace(/^(?:\.?\/)+/, '');
}

/** Returns the host or the file, for users. */
export function targetOf(intent: LinkIntent): string {
  if (intent.type === 'openLink') return revealed(fileOf(intent.href) ?? (hostOf(intent.href) || intent.href));
  const { path, rest = '', line } = intent;
  return revealed(line === undefined ? path + rest : `${path}${rest}:${line}`);
}

/** Spells out characters that could hide text or change the order in which it is read. */
function revealed(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (hidden) => `<U+${(hidden.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`,
  );
}

function locationIntent(target: string): LinkIntent {
  const { path, ...line } = placeIn(target);
  const end = path.search(/[#?]/);
  if (end === -1) return { type: 'openLocation', path: decoded(path), ...line };
  return { type: 'openLocation', path: decoded(path.slice(0, end)), ...line, rest: decoded(path.slice(end)) };
}

/** Decodes each character once. A percent sign that encodes nothing stays. */
function decoded(target: string): string {
  return target.replace(/(?:%[\da-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });
}
