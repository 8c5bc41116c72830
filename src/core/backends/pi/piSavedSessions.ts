/** The sessions that Pi has saved: one file per session, in one folder per working folder. Its protocol has no command for them. */
import { basename, dirname } from 'node:path';
import { parseJson } from '../../base/parseJson.js';
import { fileFacts, listFiles, listFolders, readText, removeFile } from '../../node/files.js';
import type { SavedList, SavedSession, SavedSessions } from '../agentBackend.js';
import { type SavedLine, savedLineSchema } from './schema/messages.js';

/** The title is at the beginning of a file, or in lines that are rare. */
const limitBytes = 32 * 1024 * 1024;
const titleChars = 80;
/** The names that the agent gives to these folders. */
const named = /^--.*--$/;

type Timed = SavedSession & Required<Pick<SavedSession, 'updatedAt'>>;

export class PiSavedSessions implements SavedSessions {
  readonly #folder: string;

  /** @param folder the folder in which one of the agent's sessions is saved */
  constructor(folder: string) {
    this.#folder = folder;
  }

  async list({ cwd }: { readonly cwd?: string } = {}): Promise<SavedList> {
    const sessions: Timed[] = [];
    // Reads one after another, because all files together may exceed the memory.
    for (const file of await this.#files()) {
      const session = await readSession(file);
      if (session !== undefined && (cwd === undefined || session.cwd === cwd)) sessions.push(session);
    }
    return { sessions: sessions.toSorted((one, other) => other.updatedAt - one.updatedAt), unreadable: 0 };
  }

  /** @param sessionId a path, or the part of a file name that the agent uses as the id */
  async remove(sessionId: string): Promise<void> {
    const file = (await this.#files()).find((path) => path === sessionId || isNamed(path, sessionId));
    if (file !== undefined && (await readSession(file)) !== undefined) await removeFile(file);
  }

  /** @returns the file of the session with the agent's id */
  async find(sessionId: string): Promise<string | undefined> {
    return (await this.#files()).find((file) => isNamed(file, sessionId));
  }

  /** Files for the current working folder come first. */
  async #files(): Promise<readonly string[]> {
    const others = named.test(basename(this.#folder)) ? await listFolders(dirname(this.#folder)) : [];
    const folders = [this.#folder, ...others.filter((one) => one !== this.#folder && named.test(basename(one)))];
    return (await Promise.all(folders.map((folder) => listFiles(folder, '.jsonl')))).flat();
  }
}

function isNamed(file: string, sessionId: string): boolean {
  return basename(file, '.jsonl').split('_').includes(sessionId);
}

/** @returns undefined for a file that is not a session */
async function readSession(file: string): Promise<Timed | undefined> {
  const [text, facts] = await Promise.all([readText(file, { limitBytes }), fileFacts(file)]);
  const [head, ...lines] = text?.split('\n') ?? [];
  const session = lineIn(head);
  if (session?.type !== 'session' || facts === undefined) return undefined;
  const title = nameIn(lines) ?? firstPromptIn(lines);
  return { sessionId: file, cwd: session.cwd, ...(title === undefined ? {} : { title }), updatedAt: lastTimeIn(lines) ?? facts.modifiedAt };
}

function lineIn(line: string | undefined): SavedLine | undefined {
  return line === undefined ? undefined : savedLineSchema.safeParse(parseJson(line)).data;
}

function nameIn(lines: readonly string[]): string | undefined {
  const line = lineIn(lines.findLast((one) => one.includes('"session_info"')));
  const name = line?.type === 'session_info' ? line.name?.trim() : undefined;
  return name === '' ? undefined : name;
}

function firstPromptIn(lines: readonly string[]): string | undefined {
  for (const text of lines) {
    const line = text.includes('"user"') ? lineIn(text) : undefined;
    if (line?.type !== 'message' || line.message?.role !== 'user') continue;
    const words = line.message.content.map((part) => (part.type === 'text' ? part.text : '')).join(' ');
    const [first = ''] = words.trim().split('\n');
    if (first !== '') return first.slice(0, titleChars);
  }
  return undefined;
}

function lastTimeIn(lines: readonly string[]): number | undefined {
  const line = lineIn(lines.findLast((one) => one.includes('"message"')));
  const at = line?.timestamp === undefined ? NaN : Date.parse(line.timestamp);
  return Number.isNaN(at) ? undefined : at;
}
