/** Sessions on disk: one JSON Lines file each, with a head line followed by the conversation. */
import { access, appendFile, constants, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir, userInfo } from 'node:os';
import path from 'node:path';
import type { SessionInfo, SessionUpdate } from '@agentclientprotocol/sdk/unstable';
import * as z from 'zod/mini';
import { storedSettings } from './settings.js';
import { isMissing } from './workspace.js';

/** The first line, repeated whenever the settings change; the last one counts. `createdAt` is in milliseconds since the epoch. */
const sessionHead = z.readonly(
  z.object({
    type: z.literal('session'),
    sessionId: z.string(),
    createdAt: z.number(),
    /** Absent in sessions from before it was saved. */
    cwd: z.optional(z.string()),
    settings: storedSettings,
  }),
);

const historyRecord = z.object({
  type: z.literal('update'),
  // The client validates the update in detail; here, only its kind matters.
  update: z.custom<SessionUpdate>((value) => typeof value === 'object' && value !== null && 'sessionUpdate' in value),
});

const storedRecord = z.union([sessionHead, historyRecord]);

export type SessionHead = z.infer<typeof sessionHead>;
type StoredRecord = z.infer<typeof storedRecord>;

export interface StoredSession {
  readonly head: SessionHead;
  readonly updates: readonly SessionUpdate[];
}

export interface SessionStore {
  /** False if sessions end with the process. */
  readonly keeps: boolean;
  create(head: SessionHead): Promise<void>;
  append(sessionId: string, updates: readonly SessionUpdate[]): Promise<void>;
  saveHead(head: SessionHead): Promise<void>;
  /** Replaces the saved history; after a crash, the file contains either the old or the new one. */
  replace(session: StoredSession): Promise<void>;
  /** Returns undefined for a session that was never saved here. Leaves out a last line that a crash cut off. */
  load(sessionId: string): Promise<StoredSession | undefined>;
  /** Lists the sessions in which something was said, most recently used first. @param cwd only those of this folder */
  list(cwd: string | undefined): Promise<readonly SessionInfo[]>;
  /** Does nothing if there is no such session. */
  remove(sessionId: string): Promise<void>;
}

/**
 * Never fails: if nothing can be written, sessions work but are not saved.
 * @param onUnusable gets the reason
 */
export async function openSessionStore(folder: string, onUnusable: (error: unknown) => void): Promise<SessionStore> {
  try {
    // Conversations may contain what no other user of the machine should read.
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.W_OK);
    return folderStore(folder);
  } catch (error) {
    onUnusable(error);
    const nothing = (): Promise<void> => Promise.resolve();
    const load = (): Promise<undefined> => Promise.resolve(undefined);
    const list = (): Promise<readonly SessionInfo[]> => Promise.resolve([]);
    return { keeps: false, create: nothing, append: nothing, saveHead: nothing, replace: nothing, load, list, remove: nothing };
  }
}

function folderStore(folder: string): SessionStore {
  const fileOf = (sessionId: string): string => path.join(folder, `${sessionId}.jsonl`);
  const load = async (sessionId: string): Promise<StoredSession | undefined> => {
    if (!isSessionId(sessionId)) return undefined;
    try {
      return parseSession(await readFile(fileOf(sessionId), 'utf8'));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  };
  return {
    keeps: true,
    create: (head) => writeFile(fileOf(head.sessionId), toLine(head), { mode: 0o600 }),
    append: (sessionId, updates) => appendFile(fileOf(sessionId), updates.map((update) => toLine({ type: 'update', update })).join('')),
    saveHead: (head) => appendFile(fileOf(head.sessionId), toLine(head)),
    async replace({ head, updates }) {
      const file = fileOf(head.sessionId);
      const lines = [toLine(head), ...updates.map((update) => toLine({ type: 'update', update }))];
      await writeFile(`${file}.new`, lines.join(''), { mode: 0o600 });
      await rename(`${file}.new`, file);
    },
    load,
    async list(cwd) {
      const listed: (SessionInfo & { readonly updatedAt: string })[] = [];
      for (const name of await readdir(folder)) {
        const sessionId = path.basename(name, '.jsonl');
        const session = await load(sessionId);
        const title = session && firstWords(session.updates);
        const place = session?.head.cwd;
        if (title === undefined || place === undefined || (cwd !== undefined && place !== cwd)) continue;
        listed.push({ sessionId, cwd: place, title, updatedAt: (await stat(fileOf(sessionId))).mtime.toISOString() });
      }
      return listed.sort((one, other) => other.updatedAt.localeCompare(one.updatedAt));
    },
    async remove(sessionId) {
      if (isSessionId(sessionId)) await rm(fileOf(sessionId), { force: true });
    },
  };
}

/** The id becomes a file name, so it must be one that this agent created. */
function isSessionId(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}

function toLine(record: StoredRecord): string {
  return `${JSON.stringify(record)}\n`;
}

function parseSession(text: string): StoredSession | undefined {
  let head: SessionHead | undefined;
  const updates: SessionUpdate[] = [];
  for (const line of text.split('\n')) {
    const record = parseLine(line);
    if (record?.type === 'session') head = record;
    else if (record) updates.push(record.update);
  }
  return head && { head, updates };
}

function parseLine(line: string): StoredRecord | undefined {
  try {
    return storedRecord.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined; // the empty end of the file, or a line that a crash cut off
  }
}

const titleLength = 60;

function firstWords(updates: readonly SessionUpdate[]): string | undefined {
  const said = updates.find((update) => update.sessionUpdate === 'user_message_chunk' && update.content.type === 'text');
  if (said?.sessionUpdate !== 'user_message_chunk' || said.content.type !== 'text') return undefined;
  return said.content.text.trim().split('\n')[0]?.slice(0, titleLength);
}

/** Returns the folder where programs on this platform save data that outlives them and needs no backup. */
export function defaultStateFolder(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  if (env['ACP_HOST_DEMO_STATE']) return path.resolve(env['ACP_HOST_DEMO_STATE']);
  const home = path.isAbsolute(homedir()) ? homedir() : userInfo().homedir;
  if (platform === 'darwin') return path.join(home, 'Library', 'Application Support', 'acp-host', 'demo-agent');
  const [named, usual] = platform === 'win32' ? [env['LOCALAPPDATA'], 'AppData/Local'] : [env['XDG_STATE_HOME'], '.local/state'];
  // A relative path would be another folder in each project.
  const base = named !== undefined && path.isAbsolute(named) ? named : path.join(home, usual);
  return path.join(base, 'acp-host', 'demo-agent');
}
