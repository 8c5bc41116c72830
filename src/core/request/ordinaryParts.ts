/** Finds what a request always says and nobody reads: it would hide what is unusual. Front ends show it on demand. */
import type { RequestPart, RequestSubject } from './description.js';

/** A switch with one of these names protects something, so that turning it off is unusual. */
const protection =
  /sandbox|safe|secur|verif|valid|check|confirm|approv|ask|prompt|dry|ssl|tls|cert|sign|restrict|protect|guard|backup|read.?only/i;
const toolName = /^[\w.:-]+$/;

/**
 * Whether the part is as in most requests of its kind: the tool's name where the subject says the same, the session's own folder, and
 * arguments of a command that are off, empty, or limit its time.
 * @param parts all parts of the request
 * @param cwd the session's folder, absolute
 */
export function isOrdinary(part: RequestPart, { code }: RequestSubject, parts: readonly RequestPart[], cwd: string): boolean {
  switch (part.type) {
    case 'title':
      return toolName.test(part.text) && parts.some(({ type }) => ['command', 'web', 'diff', 'move', 'path'].includes(type));
    case 'folder':
      return part.path === cwd || part.path === '.';
    case 'argument':
      if (part.text === 'null' || part.text === '') return part.name !== '';
      if (code !== 'run' || !parts.some(({ type }) => type === 'command')) return false;
      return /^time_?out/i.test(part.name) || (part.text === 'false' && !protection.test(part.name));
    default:
      return false;
  }
}
