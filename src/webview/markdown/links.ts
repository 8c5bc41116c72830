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
