import { resolve } from 'node:path';
import { isFields } from '../base/fields.js';
import { hidesText } from '../base/hiddenText.js';
import { isWithin } from '../base/paths.js';
import type { PermissionRequest } from '../session/userRequest.js';
import type { RequestFolder } from './describePermission.js';
import type { OutsidePath, RequestPart, RequestRisk } from './description.js';

/** Where a command may begin in a shell, including in a quoted script. */
const start = String.raw`(?:^|[\s;&|('"\x60/\\])`;
const networkPrograms = new RegExp(
  `${start}(?:curl|wget|ssh|scp|sftp|rsync|nc|ncat|netcat|telnet|ftp|git\\s+(?:push|pull|fetch|clone)|(?:npm|pnpm|yarn|pip3?|uv|cargo|gem|brew|apt|apt-get)\\s+(?:i|ci|install|add|publish))(?![\\w-])`,
);
const deletingPrograms = new RegExp(
  `${start}(?:rm|rmdir|unlink|shred|rd|del|erase|Remove-Item|git\\s+clean|git\\s+reset\\s+--hard)(?![\\w-])|\\s-delete\\b`,
);
const deletingQuery = /\b(?:drop|truncate)\s+(?:table|database|schema)\b|\bdelete\s+from\b/i;
const separator = /[;|\n]|&&|(?<![<>&\d])&(?![&>])/;
const substitution = /\$\(|`/;
const shellScript = new RegExp(`${start}(?:ba|z|da|k|fi)?sh(?:\\.exe)?['"]?\\s(?:.*\\s)?-\\w*c\\b`);

export function risksOf(request: PermissionRequest, parts: readonly RequestPart[], folder: RequestFolder): readonly RequestRisk[] {
  const paths = outsidePaths(parts, folder);
  const commands = parts.flatMap((part) => (part.type === 'command' ? [part.text] : []));
  const queries = parts.flatMap((part) => (part.type === 'argument' ? [part.text] : []));
  const methods = parts.flatMap((part) => (part.type === 'web' ? [part.method?.toUpperCase()] : []));
  const usesNetwork =
    request.subject.toolKind === 'fetch' ||
    methods.length > 0 ||
    commands.some((one) => networkPrograms.test(one) || /https?:\/\//.test(one));
  const deletes =
    request.subject.toolKind === 'delete' ||
    methods.includes('DELETE') ||
    commands.some((one) => deletingPrograms.test(one)) ||
    [...commands, ...queries].some((one) => deletingQuery.test(one));
  return [
    ...(paths.length === 0 ? [] : [{ code: 'outside_folder', params: { paths } } as const]),
    ...(deletes ? [{ code: 'deletes' } as const] : []),
    ...(usesNetwork ? [{ code: 'network' } as const] : []),
    ...(commands.some(isSeveral) ? [{ code: 'several_commands' } as const] : []),
    ...(hidesSomething(request) ? [{ code: 'hidden_characters' } as const] : []),
  ];
}

function outsidePaths(parts: readonly RequestPart[], { cwd, behindLinks }: RequestFolder): readonly OutsidePath[] {
  const named = parts.flatMap((part) => {
    if (part.type === 'path' || part.type === 'diff' || part.type === 'folder') return [part.path];
    return part.type === 'move' ? [part.from.path, part.to.path] : [];
  });
  return [...new Set(named)].flatMap((path) => {
    if (path.startsWith('~') || !isWithin(cwd, resolve(cwd, path))) return [{ path }];
    const target = behindLinks(path);
    return target === undefined ? [] : [{ path, target }];
  });
}

/** Whether the line contains several commands. Quoted text is an argument, unless a shell is told to run it. */
function isSeveral(command: string): boolean {
  if (shellScript.test(command)) return separator.test(command) || substitution.test(command);
  const withoutTexts = command.trim().replace(/'[^']*'/g, '');
  return substitution.test(withoutTexts) || separator.test(withoutTexts.replace(/"(?:\\.|[^"\\])*"|\\./g, ''));
}

function hidesSomething({ subject: { title, content, locations, rawInput }, options }: PermissionRequest): boolean {
  return stringsIn([title, options.map(({ name }) => name), locations.map(({ path }) => path), content, rawInput]).some(hidesText);
}

/** All strings and names in a JSON value. Not its JSON text, which spells out control characters. */
function stringsIn(value: unknown): readonly string[] {
  const strings: string[] = [];
  const waiting = [value];
  while (waiting.length > 0) {
    const one = waiting.pop();
    if (typeof one === 'string') strings.push(one);
    else if (Array.isArray(one)) for (const element of one) waiting.push(element);
    else if (isFields(one)) for (const [name, member] of Object.entries(one)) waiting.push(name, member);
  }
  return strings;
}
