/** Commands that only read. */
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { CommandError } from '../commandError.js';
import { type Command, fenced, needed, plural, splitFirst } from './command.js';
import { runTool, textContent } from '../toolCall.js';
import type { Turn } from '../turn.js';
import { isMissing, walkFiles } from '../workspace.js';

const SHOWN_ENTRIES = 200;
const SHOWN_LINES = 40;
const SEARCH_MATCHES = 100;
const READ_LIMIT_BYTES = 1024 * 1024;
const IMAGE_TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
};

export const listCommand: Command = {
  name: 'list',
  hint: '[DIR]',
  description: 'List a folder of the workspace',
  async run(turn, input) {
    const folder = await turn.session.workspace.resolve(splitFirst(input).first || '.');
    const name = turn.session.workspace.display(folder);
    const entries = await runTool(turn, {
      title: `List ${name}`,
      kind: 'read',
      rawInput: { path: folder },
      locations: [{ path: folder }],
      async run() {
        const lines = await listFolder(folder, name);
        return { value: lines, content: [textContent(lines.join('\n'))] };
      },
    });
    const shown = entries
      .slice(0, SHOWN_ENTRIES)
      .map((entry) => `- \`${entry}\``)
      .join('\n');
    const more = entries.length > SHOWN_ENTRIES ? `\n- … and ${plural(entries.length - SHOWN_ENTRIES, 'more entry', 'more entries')}` : '';
    await turn.say(
      entries.length === 0
        ? `\`${name}\` is empty.`
        : `\`${name}\` holds ${plural(entries.length, 'entry', 'entries')}:\n\n${shown}${more}`,
    );
  },
};

export const readCommand: Command = {
  name: 'read',
  hint: 'FILE',
  description: 'Read a file of the workspace',
  async run(turn, input) {
    // The chat writes `@` before the path of an attached file.
    const named = splitFirst(input).first.replace(/^@/, '') || attachedFile(turn);
    const file = await turn.session.workspace.resolve(needed(named, 'read FILE'));
    const name = turn.session.workspace.display(file);
    const bytes = await readAsTool(turn, file, name);
    if (imageType(file)) return turn.say(`\`${name}\` is an image of ${plural(bytes.length, 'byte')}. It is in the card above.`);
    const lines = textOf(bytes, name).replace(/\n$/, '').split('\n');
    await turn.say(`\`${name}\` has ${plural(lines.length, 'line')} and ${plural(bytes.length, 'byte')}.`);
    await turn.say(fenced(lines.slice(0, SHOWN_LINES).join('\n'), path.extname(file).slice(1)));
    if (lines.length > SHOWN_LINES) await turn.tip(`These were the first ${SHOWN_LINES} lines; the card above holds all that I read.`);
    await turn.show({ type: 'resource_link', uri: pathToFileURL(file).href, name, size: bytes.length });
  },
};

export const searchCommand: Command = {
  name: 'search',
  hint: 'TEXT',
  description: 'Search the files of the workspace for a text',
  async run(turn, input) {
    const wanted = needed(input.trim(), 'search TEXT');
    const { root, display } = turn.session.workspace;
    const found = await runTool(turn, {
      title: `Search "${wanted}"`,
      kind: 'search',
      rawInput: { text: wanted, path: root },
      async run() {
        const result = await searchFiles(turn, root, wanted);
        return {
          value: result,
          content: [
            textContent(result.matches.map(({ file, line, text }) => `${display(file)}:${line}: ${text}`).join('\n') || 'No match'),
          ],
          locations: result.matches.map(({ file, line }) => ({ path: file, line })),
        };
      },
    });
    const lines = found.matches.map(({ file, line, text }) => `- \`${display(file)}:${line}\` ${inlineCode(text)}`);
    await turn.say(`${plural(found.matches.length, 'match', 'matches')} in ${plural(found.files, 'file')} that I read.`);
    if (lines.length > 0) await turn.say(lines.join('\n'));
    if (found.matches.length === SEARCH_MATCHES) await turn.tip(`I stopped at ${SEARCH_MATCHES} matches.`);
  },
};

/** @throws CommandError if there is no such file, or if it is a folder or too large */
export async function readWorkspaceFile(file: string, name: string): Promise<Buffer> {
  const info = await stat(file).catch((error: unknown) => {
    if (isMissing(error)) throw new CommandError(`There is no file \`${name}\`.`);
    throw error;
  });
  if (!info.isFile()) throw new CommandError(`\`${name}\` is not a file.`);
  if (info.size > READ_LIMIT_BYTES)
    throw new CommandError(`\`${name}\` has ${plural(info.size, 'byte')}; I read up to ${plural(READ_LIMIT_BYTES, 'byte')}.`);
  return readFile(file);
}

/** @throws CommandError if the bytes are not UTF-8 text */
export function textOf(bytes: Buffer, name: string): string {
  if (bytes.includes(0)) throw new CommandError(`\`${name}\` is not a text file.`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new CommandError(`\`${name}\` is not UTF-8 text.`);
  }
}

function readAsTool(turn: Turn, file: string, name: string): Promise<Buffer> {
  return runTool(turn, {
    title: `Read ${name}`,
    kind: 'read',
    rawInput: { path: file },
    locations: [{ path: file, line: 1 }],
    async run() {
      const bytes = await readWorkspaceFile(file, name);
      const mimeType = imageType(file);
      if (mimeType)
        return { value: bytes, content: [{ type: 'content', content: { type: 'image', data: bytes.toString('base64'), mimeType } }] };
      return { value: bytes, content: [textContent(fenced(textOf(bytes, name), path.extname(file).slice(1)))] };
    },
  });
}

function imageType(file: string): string | undefined {
  return IMAGE_TYPES[path.extname(file).toLowerCase()];
}

/** Without a name, `read` reads the file that the user attached. */
function attachedFile(turn: Turn): string {
  const link = turn.attachments.find((block) => block.type === 'resource_link' && block.uri.startsWith('file:'));
  return link?.type === 'resource_link' ? fileURLToPath(link.uri) : '';
}

async function listFolder(folder: string, name: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort((a, b) => a.localeCompare(b));
  } catch (error) {
    if (isMissing(error)) throw new CommandError(`There is no folder \`${name}\`.`);
    throw error;
  }
}

interface Match {
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  readonly text: string;
}

async function searchFiles(
  turn: Turn,
  root: string,
  wanted: string,
): Promise<{ readonly matches: readonly Match[]; readonly files: number }> {
  const matches: Match[] = [];
  let files = 0;
  for await (const file of walkFiles(root, turn.signal)) {
    if (matches.length >= SEARCH_MATCHES) break;
    const text = await searchableText(file);
    if (text === undefined) continue;
    files += 1;
    for (const [index, line] of text.split('\n').entries()) {
      if (matches.length < SEARCH_MATCHES && line.includes(wanted))
        matches.push({ file, line: index + 1, text: line.trim().slice(0, 200) });
    }
  }
  return { matches, files };
}

/** Returns undefined for what cannot be searched: binary, too large, missing or unreadable files. */
async function searchableText(file: string): Promise<string | undefined> {
  try {
    return textOf(await readWorkspaceFile(file, file), file);
  } catch {
    return undefined;
  }
}

function inlineCode(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}
