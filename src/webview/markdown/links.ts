/** Where a link of the agent may lead. Nothing the page draws has an `href`: a click becomes an intent, and the host decides. */
import type { PageMessage } from '../../contract/messages.js';

export type LinkIntent = Extract<PageMessage, { type: 'openLink' | 'openLocation' }>;

const schemes: ReadonlySet<string> = new Set(['http', 'https', 'mailto', 'file']);
const scheme = /^([a-z][a-z0-9+.-]+):/i;
/** A path in inline code: with a folder and an extension, or with a line number. */
const pathInCode = /^(?:~|\.{1,2}|[\w@.-]+|[A-Za-z]:)?(?:[\\/][\w@.+-]+)+\.\w{1,8}(?::\d+(?::\d+)?)?$|^[\w@.-]+\.\w{1,8}:\d+(?::\d+)?$/;
const lineSuffix = /(?::(\d+)(?::\d+)?|#L(\d+)(?:[-C]\S*)?)$/;

/** @param href as written by the agent, character references resolved. Undefined: not a link that anyone may follow. */
export function linkIntent(href: string): LinkIntent | undefined {
  // Browsers ignore control characters and blanks in a scheme, so they must not hide one.
  const target = href.replace(/[\u0000-\u0020\u007f-\u00a0\u2028\u2029]+/g, (blank) => (blank === ' ' ? ' ' : '')).trim();
  const name = scheme.exec(target)?.[1]?.toLowerCase();
  if (name !== undefined && !schemes.has(name))
    return lineSuffix.test(target) && pathInCode.test(target) ? locationIntent(target) : undefined;
  if (name !== undefined) return { type: 'openLink', href: target };
  if (target === '' || target.startsWith('#') || target.startsWith('//')) return undefined;
  return locationIntent(decoded(target));
}

/** @param code text of an inline code span */
export function pathIntent(code: string): LinkIntent | undefined {
  return code.length <= 300 && pathInCode.test(code) ? locationIntent(code) : undefined;
}

/**
 * Where a link leads whose own words name a place: shown beside them where it is another one.
 * @param words what the link shows @returns undefined: the words name no place, or the very one
 */
export function otherTarget(words: string, intent: LinkIntent): string | undefined {
  const places = words.split(/\s+/).map(trimmed).filter(namesPlace);
  const leadsTo = intent.type === 'openLink' ? leadsToAddress(intent.href) : leadsToFile(intent.path);
  return places.every(leadsTo) ? undefined : targetOf(intent);
}

/** Without the brackets and the period around it, and without characters that nobody sees. */
function trimmed(word: string): string {
  return word.replace(/\p{Cf}/gu, '').replace(/^[("'<[]+|[)"'>\].,;!?]+$/g, '');
}

function namesPlace(word: string): boolean {
  return /[\\/@]|^[\w-]+(?:\.[\w-]+)*\.\w{2,}/.test(word) && /[\p{L}\p{N}]/u.test(word);
}

function leadsToAddress(href: string): (word: string) => boolean {
  const host = hostOf(href);
  return (word) => {
    if (host === '') return href.replace(/^mailto:/i, '').toLowerCase() === word.replace(/^mailto:/i, '').toLowerCase();
    // What stands in front of an @ is no part of the place.
    return !word.includes('@') && hostOf(/^[a-z][a-z0-9+.-]*:/i.test(word) ? word : `https://${word}`) === host;
  };
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host.replace(/^www\./, '') : '';
}

function leadsToFile(path: string): (word: string) => boolean {
  const whole = `/${plainPath(path)}`;
  return (word) => whole.endsWith(`/${plainPath(word.replace(lineSuffix, ''))}`);
}

function plainPath(path: string): string {
  return path.replaceAll('\\', '/').replace(/^(?:\.?\/)+/, '');
}

/** The machine or the file, for people. */
export function targetOf(intent: LinkIntent): string {
  if (intent.type === 'openLink') return revealed(hostOf(intent.href) || intent.href);
  return revealed(intent.line === undefined ? intent.path : `${intent.path}:${intent.line}`);
}

/** Nothing in it may change the order in which it is read, or hide. */
function revealed(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (hidden) => `<U+${(hidden.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`,
  );
}

function locationIntent(target: string): LinkIntent {
  const match = lineSuffix.exec(target);
  if (match === null) return { type: 'openLocation', path: target };
  return { type: 'openLocation', path: target.slice(0, match.index), line: Number(match[1] ?? match[2]) };
}

function decoded(target: string): string {
  try {
    return decodeURI(target);
  } catch {
    return target;
  }
}
