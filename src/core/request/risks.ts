import { resolve } from 'node:path';
import { isFields } from '../base/fields.js';
import { hidesText } from '../base/hiddenText.js';
import { isWithin } from '../base/paths.js';
import { namesSecret } from '../base/secretNames.js';
import type { PermissionRequest } from '../session/userRequest.js';
import type { OutsidePath, RequestFolder, RequestPart, RequestRisk } from './description.js';

/** Where a command may begin in a shell, including in a quoted script. */
const start = String.raw`(?:^|[\s;&|('"\x60/\\])`;
const networkPrograms = new RegExp(
  `${start}(?:curl|wget|ssh|scp|sftp|rsync|nc|ncat|netcat|telnet|ftp|git\\s+(?:push|pull|fetch|clone)|(?:npm|pnpm|yarn|pip3?|uv|cargo|gem|brew|apt|apt-get)\\s+(?:i|ci|install|add|publish))(?![\\w-])`,
);
const deletingPrograms = new RegExp(
  `${start}(?:rm|rmdir|unlink|shred|rd|del|erase|Remove-Item|git\\s+clean|git\\s+reset\\s+--hard)(?![\\w-])|\\s-delete\\b`,
);
const deletingQuery = /\b(?:drop|truncate)\s+(?:table|database|schema)\b|\bdelete\s+from\b/i;
const deletingPatch = /^\*\*\* Delete File: /m;
const separator = /[;|\n]|&&|(?<![<>&])&(?![&>])/;
const substitution = /\$\(|`/;
/** Not in quotes, where it is text. */
const processSubstitution = /[<>]\(/;
const evaluates = /(?:^|[\s;&|(])eval\s/;
const shell = new RegExp(`${start}(?:(?:ba|z|da|k|fi|c|tc)?sh|su|pwsh|powershell|cmd)(?:\\.exe)?['"]?(?:\\s|(?=<))`, 'i');
const runsScript = /\s(?:-\w*c|-command|\/[ck])\b|<<</i;
/** What follows is a command, whether quoted or not. */
const runsItsArguments = /(?:^|[;&|(])\s*(?:sudo\s+)?(?:ssh|watch)\s/;

export function risksOf(request: PermissionRequest, parts: readonly RequestPart[], folder: RequestFolder): readonly RequestRisk[] {
  const subjects = [request.subject, ...(request.calls ?? [])];
  const kinds = new Set(subjects.map(({ toolKind }) => toolKind));
  const named = [...new Set(subjects.flatMap(({ rawInput }) => pathsIn(rawInput)).concat(parts.flatMap(shownPaths)))];
  const paths = named.flatMap((path) => outsidePath(path, folder));
  const lookalikes = named.filter((path) => hasLookalikes(path, folder));
  const secretFiles = parts.flatMap(shownPaths).filter(namesSecret);
  const said = parts.flatMap((part) => (part.type === 'command' ? [part.text] : []));
  const commands = said.length > 0 || !kinds.has('execute') ? said : [request.subject.title, ...parts.flatMap(textIn)].map(withoutMarks);
  const queries = parts.flatMap((part) => (part.type === 'argument' ? [part.text] : []));
  const methods = parts.flatMap((part) => (part.type === 'web' ? [part.method?.toUpperCase()] : []));
  const usesNetwork =
    kinds.has('fetch') || methods.length > 0 || commands.some((one) => networkPrograms.test(one) || /https?:\/\//.test(one));
  const deletes =
    kinds.has('delete') ||
    methods.includes('DELETE') ||
    commands.some((one) => deletingPrograms.test(one)) ||
    [...commands, ...queries].some((one) => deletingQuery.test(one)) ||
    queries.some((one) => deletingPatch.test(one));
  return [
    ...(paths.length === 0 ? [] : [{ code: 'outside_folder', params: { paths } } as const]),
    ...(secretFiles.length === 0 ? [] : [{ code: 'secrets', params: { paths: [...new Set(secretFiles)] } } as const]),
    ...(deletes ? [{ code: 'deletes' } as const] : []),
    ...(usesNetwork ? [{ code: 'network' } as const] : []),
    ...(said.length > 1 || commands.some(isSeveral) ? [{ code: 'several_commands' } as const] : []),
    ...(lookalikes.length === 0 ? [] : [{ code: 'lookalike_letters', params: { paths: lookalikes } } as const]),
    ...(hidesSomething(request) ? [{ code: 'hidden_characters' } as const] : []),
  ];
}

/** A call that runs something and names no command may have it in its title or its text. */
function textIn(part: RequestPart): readonly string[] {
  return part.type === 'call' || part.type === 'text' ? [part.text] : [];
}

/** Backquotes around a command in a sentence are no substitution. */
function withoutMarks(text: string): string {
  return text.replace(/`([^`\n]*)`/g, '$1');
}

function shownPaths(part: RequestPart): readonly string[] {
  if (part.type === 'path' || part.type === 'diff' || part.type === 'folder') return [pathOf(part.path)];
  return part.type === 'move' ? [pathOf(part.from.path), pathOf(part.to.path)] : [];
}

/** How the name of a member that contains paths ends. */
const pathName =
  /(?:paths?|files?|filenames?|dirs?|directory|directories|folders?|cwd|roots?|destination|dest|dst|targets?|source|src|from|to|output|location|uri|url)$/i;
/** A path that is absolute, in the home folder or above the folder. Anything else stays inside, whatever it is. */
const leadsOut = /^(?:~|\/|file:|[A-Za-z]:[\\/]|\\\\)|(?:^|[\\/])\.\.(?:[\\/]|$)/i;
/** In characters, as on Linux. */
const longestPath = 4096;

/** Returns the paths that members of an input name, at any depth. */
function pathsIn(rawInput: unknown): readonly string[] {
  const paths: string[] = [];
  const waiting: (readonly [string, unknown])[] = [['', rawInput]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [name, value] = next;
    if (Array.isArray(value)) for (const entry of value) waiting.push([name, entry]);
    else if (isFields(value)) for (const member of Object.entries(value)) waiting.push(member);
    else if (
      typeof value === 'string' &&
      value.length <= longestPath &&
      pathName.test(name) &&
      (leadsOut.test(value) || hasLookalikes(value))
    )
      paths.push(pathOf(value));
  }
  return paths.reverse();
}

function pathOf(text: string): string {
  if (!/^file:/i.test(text) || !URL.canParse(text)) return text;
  const { pathname } = new URL(text);
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}

function outsidePath(path: string, { cwd, behindLinks }: RequestFolder): readonly OutsidePath[] {
  if (path.startsWith('~') || !isWithin(cwd, resolve(cwd, path))) return [{ path }];
  const target = behindLinks(path);
  return target === undefined ? [] : [{ path, target }];
}

const alphabets = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u, /\p{Script=Cherokee}|\p{Script=Armenian}/u];
/** Letters of other alphabets that look like those of ASCII, among them the wide and the mathematical ones. */
const disguised = /[\uff01-\uff5e\u{1d400}-\u{1d7ff}\u2044\u2215\u29f8\u2024\ua789]/u;

/** Whether a part of a path mixes alphabets, as in `src/index.ts` with a Cyrillic letter. A name in one alphabet is ordinary. */
function hasLookalikes(path: string, folder?: RequestFolder): boolean {
  const rest = folder !== undefined && path.startsWith(folder.cwd) ? path.slice(folder.cwd.length) : path;
  // Extensions are Latin in every language.
  const names = rest.split(/[\\/]/).map((name) => name.replace(/(?<=.)\.[A-Za-z\d]{1,8}$/, ''));
  return names.some((name) => disguised.test(name) || name.split(/[\s._-]+/).some(isMixed));
}

function isMixed(word: string): boolean {
  return alphabets.filter((alphabet) => alphabet.test(word)).length > 1;
}

/** Quoted text is an argument, unless a shell is told to run it. In double quotes, a shell still runs what is substituted. */
const quoted = /\$'(?:\\[^]|[^'\\])*'|'[^']*'|"(?:\\[^]|[^"\\])*"|\\[^]/g;

/** Whether the line contains several commands. */
function isSeveral(command: string): boolean {
  const shellAt = shell.exec(command)?.index;
  const runsText = (shellAt !== undefined && runsScript.test(command.slice(shellAt))) || runsItsArguments.test(command);
  if (runsText) return separator.test(command) || substitution.test(command);
  const rest = command.trim().replace(quoted, (text) => (text.startsWith('"') && substitution.test(text.replace(/\\[^]/g, '')) ? '`' : ''));
  if (evaluates.test(rest) && separator.test(command)) return true;
  return [substitution, processSubstitution, separator].some((several) => several.test(rest));
}

function hidesSomething({ subject, calls = [], options }: PermissionRequest): boolean {
  const texts = [subject, ...calls].map(({ title, content, locations, rawInput }) => [
    title,
    locations.map(({ path }) => path),
    content,
    rawInput,
  ]);
  return stringsIn([texts, options.map(({ name }) => name)]).some(hidesText);
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
