/** The files that an agent reads and writes through its host: what the editor shows comes first, and nothing outside the folder is opened unasked. */
import { isUtf8 } from 'node:buffer';
import { createHash, randomUUID } from 'node:crypto';
import { dirname, join, relative } from 'node:path';
import { messageOf } from '../base/errors.js';
import { keepLatest } from '../base/keepLatest.js';
import { OneByOne } from '../base/oneByOne.js';
import { isWithin } from '../base/paths.js';
import { namesSecret } from '../base/secretNames.js';
import { existsNow, isFolderNow, isMissing, isReadOnlyNow, nearestRealPath, nearestRealPathNow } from '../node/files.js';
import { readWorkFile, type WorkFile, writeWorkFile } from '../node/workFiles.js';
import {
  type AskingSubagent,
  type PermissionOption,
  type PermissionSubject,
  selectedOption,
  type UserAnswer,
} from '../session/userRequest.js';
import { type EditorTexts, inTime, isLate } from './changes/workingFiles.js';
import { unusable } from './files.js';
import type { AgentFiles, LineRange, NewRequest } from './hostServices.js';

/** Larger files are not read, and not replaced. */
export const agentFileLimitBytes = 10 * 1024 * 1024;
/** Of so many files, the latest ones, it is known what the agent has read. */
const mostSeen = 10_000;

export type FileRefusalReason =
  | 'missing'
  | 'relative'
  | 'other_machine'
  /** It, or a name in it, is longer than the system allows. */
  | 'too_long'
  /** It leads over a file as over a folder, or over links in a circle. */
  | 'leads_nowhere'
  /** By the user. */
  | 'rejected'
  /** It is a pipe or a device, or too large. */
  | 'not_readable'
  | 'folder'
  /** On disk. */
  | 'read_only'
  | 'too_large'
  | 'not_text'
  /** It lacks characters of the new text. */
  | 'encoding'
  /** Since the agent read it. */
  | 'changed'
  /** The path leads somewhere else now. */
  | 'moved'
  /** The editor could not change its unsaved text. */
  | 'unsaved'
  /** The editor hangs, so its unsaved text is not known. */
  | 'editor_hangs'
  /** The system's error is in the message. */
  | 'failed';

/** Why a file was not read or written. */
export class FileRefusal extends Error {
  override readonly name = 'FileRefusal';
  readonly reason: FileRefusalReason;

  constructor(reason: FileRefusalReason, message: string = reason) {
    super(message);
    this.reason = reason;
  }
}

export interface AgentFilesParts {
  readonly sessionId: string;
  /** Absolute. */
  readonly folder: string;
  /** The other folders that the agent was told of: absolute, without symbolic links. */
  readonly others?: readonly string[];
  /** The one whose access it is; absent: the agent's. */
  readonly subagent?: AskingSubagent | undefined;
  /** What an editor has of files; absent: only the disk counts. */
  readonly editor: EditorTexts | undefined;
  requestUser(request: NewRequest, signal: AbortSignal): Promise<UserAnswer>;
  /** The agent has written the file. @param path absolute, without symbolic links */
  onWritten(path: string): void;
}

/** A file as it is now. */
interface Current {
  /** Absolute, without symbolic links. */
  readonly real: string;
  /** On disk; undefined: there is no such file. */
  readonly file: WorkFile | undefined;
  /** Undefined while the editor has no unsaved text of it. */
  readonly unsaved: string | undefined;
}

export function createAgentFiles({
  sessionId,
  folder,
  others = [],
  subagent,
  editor: anyEditor,
  requestUser,
  onWritten,
}: AgentFilesParts): AgentFiles {
  const editor = anyEditor && inTime(anyEditor);
  /** What the agent last read or wrote of each file, as hashes of the texts. */
  const seen = new Map<string, string>();
  /** The calls for each file. */
  const underWay = new Map<string, OneByOne>();

  /** Whether the user lets agents read and write such a file: one in its folders that holds no secrets, and git doesn't act on what is in it. */
  async function locate(path: string): Promise<{ readonly real: string; readonly isReadable: boolean; readonly isWritable: boolean }> {
    const reason = unusable(path, [folder, ...others]);
    if (reason !== undefined) throw new FileRefusal(reason);
    const real = await nearestRealPath(path);
    // The disk of a folder that the path is in has just answered.
    const root = isWithin(folder, path) ? nearestRealPathNow(folder) : await nearestRealPath(folder);
    const around = [root, ...others].find((one) => isWithin(one, real));
    const isReadable = around !== undefined && !namesSecret(path) && !namesSecret(real);
    return { real, isReadable, isWritable: isReadable && !isOfGit(around, real) };
  }

  async function askUser(
    path: string,
    toolKind: 'read' | 'edit',
    content: PermissionSubject['content'],
    signal: AbortSignal,
  ): Promise<void> {
    const subject: PermissionSubject = {
      itemId: undefined,
      toolCallId: randomUUID(),
      title: path,
      toolKind,
      rawInput: undefined,
      content,
      locations: [{ path }],
    };
    const asking = subagent === undefined ? {} : { subagent };
    const answer = await requestUser({ kind: 'permission', byHost: true, sessionId, ...asking, subject, options }, signal);
    if (selectedOption(answer) !== allowOnce) throw new FileRefusal('rejected');
  }

  async function currentOf(path: string, real: string, unsavedNow = unsavedOf(path)): Promise<Current> {
    // Its disk has just answered, so this look does not block.
    const exists = existsNow(real);
    const reading = exists ? readWorkFile(Buffer.from(real), agentFileLimitBytes) : undefined;
    const [file, unsaved] = await Promise.all([reading, unsavedNow]);
    if (file === 'other') throw new FileRefusal('not_readable');
    if (exists && file === undefined && isFolderNow(real)) throw new FileRefusal('folder');
    stays(path, real);
    return { real, file, unsaved };
  }

  async function inOrder<T>(path: string, call: () => Promise<T>): Promise<T> {
    let calls = underWay.get(path);
    if (calls === undefined) underWay.set(path, (calls = new OneByOne()));
    try {
      return await calls.run(call);
    } catch (error) {
      if (error instanceof FileRefusal) throw error;
      const reason = isMissing(error) ? 'missing' : error instanceof Error && 'code' in error ? pathErrors[String(error.code)] : undefined;
      throw reason === undefined ? new FileRefusal('failed', messageOf(error)) : new FileRefusal(reason);
    } finally {
      if (calls.isIdle) underWay.delete(path);
    }
  }

  function see(real: string, text: string): void {
    keepLatest(seen, real, hashOf(text), mostSeen);
  }

  /** Makes sure that the agent replaces nothing that it does not know. @returns whether the user was asked */
  async function agree(
    path: string,
    text: string,
    { real, file, unsaved }: Current,
    isWritable: boolean,
    signal: AbortSignal,
  ): Promise<boolean> {
    const now = textOf({ file, unsaved });
    const known = seen.get(real);
    const isKnown = now !== undefined && known === hashOf(now);
    if (!isWritable || (unsaved !== undefined && !isKnown)) {
      await askUser(path, 'edit', [{ type: 'diff', path, oldText: now ?? null, newText: text }], signal);
      return true;
    }
    if (isKnown || known === undefined || now === undefined) return false;
    // An agent that reads files in another way, too, may try again.
    seen.delete(real);
    throw new FileRefusal('changed');
  }

  return {
    readText: (path, range, signal) =>
      inOrder(path, async () => {
        const { real, isReadable } = await locate(path);
        if (!isReadable) await askUser(path, 'read', [], signal);
        // If the editor hangs, a write shows what was missed.
        const unsaved = unsavedOf(path).catch(() => undefined);
        const text = textOf(await currentOf(path, real, unsaved));
        if (text === undefined) throw new FileRefusal('missing');
        see(real, text);
        return linesOf(text, range);
      }),
    writeText: (path, sent, signal) =>
      inOrder(path, async () => {
        if (Buffer.byteLength(sent) > agentFileLimitBytes) throw new FileRefusal('too_large');
        // A byte order mark is no part of a text, here or in the editor.
        const text = sent.startsWith(byteOrderMark) ? sent.slice(byteOrderMark.length) : sent;
        const { real, isWritable } = await locate(path);
        let current = await currentOf(path, real);
        // It is replaced by another file, so the system would not refuse this.
        if (current.file !== undefined && isReadOnlyNow(real)) throw new FileRefusal('read_only');
        if (await agree(path, text, current, isWritable, signal)) {
          // The user may have saved the text that was shown, which is no change.
          const now = await currentOf(path, real);
          if (textOf(now) !== textOf(current)) throw new FileRefusal('changed');
          current = now;
        }
        if (!(await edit(path, real, text))) await writeWorkFile(Buffer.from(real), fileWith(text, text !== sent, current.file));
        see(real, text);
        onWritten(real);
      }),
  };

  /** @returns whether the editor has changed and saved the file */
  async function edit(path: string, real: string, text: string): Promise<boolean> {
    if (editor === undefined) return false;
    const edited = await editor.edit({ [path]: text }, true).catch(orHangs<readonly string[]>([]));
    if (edited.includes(path)) return true;
    // The editor may have saved it in another form, such as formatted.
    const unsaved = await unsavedOf(path);
    if (unsaved !== undefined) throw new FileRefusal('unsaved');
    stays(path, real);
    return false;
  }

  async function unsavedOf(path: string): Promise<string | undefined> {
    const texts = await editor?.unsaved([path]).catch(orHangs<Readonly<Record<string, string>>>({}));
    return texts?.[path];
  }
}

/** Takes `otherwise` from an editor that has no answer. @throws FileRefusal if it hangs, and may still have unsaved text or change the file */
function orHangs<T>(otherwise: T): (error: unknown) => T {
  return (error) => {
    if (isLate(error)) throw new FileRefusal('editor_hangs');
    return otherwise;
  };
}

/** Where it leads may have changed while the user or the editor answered. */
function stays(path: string, real: string): void {
  if (nearestRealPathNow(path) !== real) throw new FileRefusal('moved');
}

function textOf({ file, unsaved }: Pick<Current, 'file' | 'unsaved'>): string | undefined {
  return unsaved ?? (file === undefined ? undefined : decode(file.bytes).text);
}

function fileWith(text: string, isMarked: boolean, before: WorkFile | undefined): WorkFile {
  const form = before === undefined ? utf8 : decode(before.bytes).form;
  return { mode: before?.mode ?? '100644', bytes: (isMarked && form === utf8 ? markedUtf8 : form).encode(text) };
}

const byteOrderMark = '\uFEFF';

/** Whether git acts on what is in the file: a hook, or a filter in the configuration, is a program that the next command of git runs. */
function isOfGit(root: string, real: string): boolean {
  if (/(?:^|[\\/])\.git[. ]*(?:[\\/:]|$)/i.test(relative(root, real))) return true;
  // Where .git is a link or a file, or there is none, git's folder may have any name.
  for (let folder = dirname(real); folder !== root && isWithin(root, folder); folder = dirname(folder))
    if (['HEAD', 'objects', 'refs'].every((name) => existsNow(join(folder, name)))) return true;
  return false;
}

/** What the system says of a path that is at fault itself. */
const pathErrors: Readonly<Record<string, FileRefusalReason>> = {
  ENAMETOOLONG: 'too_long',
  ENOTDIR: 'leads_nowhere',
  ELOOP: 'leads_nowhere',
};

const allowOnce = 'allow';
const options: readonly PermissionOption[] = [
  { optionId: allowOnce, name: '', kind: 'allow_once' },
  { optionId: 'reject', name: '', kind: 'reject_once' },
];

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

/** How the text of a file is written in bytes. */
interface TextForm {
  /** @throws FileRefusal if the text has characters that the form lacks */
  encode(text: string): Buffer;
}

const utf8: TextForm = { encode: (text) => Buffer.from(text) };
const withMark = (mark: readonly number[], encode: (text: string) => Buffer): TextForm => ({
  encode: (text) => Buffer.concat([Buffer.from(mark), encode(text)]),
});
const littleEndian = (text: string): Buffer => Buffer.from(text, 'utf16le');
const utf8Mark = [0xef, 0xbb, 0xbf];
const markedUtf8 = withMark(utf8Mark, utf8.encode);
const utf16Marks = { little: [0xff, 0xfe], big: [0xfe, 0xff] };
const latin1: TextForm = {
  encode(text) {
    if (/[^\0-\u00ff]/u.test(text)) throw new FileRefusal('encoding');
    return Buffer.from(text, 'latin1');
  },
};

/** @throws FileRefusal if it is no text */
function decode(bytes: Buffer): { readonly text: string; readonly form: TextForm } {
  const begins = (mark: readonly number[]): boolean => mark.every((byte, index) => bytes[index] === byte);
  if (begins(utf8Mark) && isUtf8(bytes)) return { text: bytes.toString('utf8', utf8Mark.length), form: markedUtf8 };
  if (bytes.length % 2 === 0 && begins(utf16Marks.little))
    return { text: bytes.toString('utf16le', 2), form: withMark(utf16Marks.little, littleEndian) };
  if (bytes.length % 2 === 0 && begins(utf16Marks.big))
    return {
      text: Buffer.from(bytes.subarray(2)).swap16().toString('utf16le'),
      form: withMark(utf16Marks.big, (text) => littleEndian(text).swap16()),
    };
  if (bytes.includes(0)) throw new FileRefusal('not_text');
  return isUtf8(bytes) ? { text: bytes.toString('utf8'), form: utf8 } : { text: bytes.toString('latin1'), form: latin1 };
}

/** Lines keep their ends, so that all of them together are the text. */
function linesOf(text: string, { line = 1, limit }: LineRange): string {
  if (line <= 1 && limit === undefined) return text;
  let start = 0;
  for (let at = 1; at < line; at++) {
    start = text.indexOf('\n', start) + 1;
    if (start === 0) return '';
  }
  if (limit === undefined) return text.slice(start);
  let end = start;
  for (let count = 0; count < limit; count++) {
    const next = text.indexOf('\n', end);
    if (next < 0) return text.slice(start);
    end = next + 1;
  }
  return text.slice(start, end);
}
