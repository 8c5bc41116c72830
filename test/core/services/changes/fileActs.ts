/** What an agent or a user does to the files of a folder. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { chmod, lstat, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { onDisk, type SeenFile } from './changesLab.js';

export type Files = ReadonlyMap<string, SeenFile>;

/** In names and contents, each character is a byte. */
export type Act =
  | { readonly type: 'write' | 'append'; readonly name: string; readonly content: string }
  | { readonly type: 'remove' | 'toggle'; readonly name: string }
  | { readonly type: 'move'; readonly name: string; readonly to: string }
  | { readonly type: 'link'; readonly name: string; readonly to: string };

/** Names that are hard to quote, that are no text, or of which one is the folder of another. */
const names = [
  ...[
    'a.txt',
    'b.txt',
    'CASE',
    'case',
    '-dash',
    'sp ace',
    'q"uo\\te',
    'new\nline',
    '\ttab',
    '\u00c3\u00bcn\u00c3\u00af',
    '\xff\xfe.bin',
    ' ',
  ],
  ...['d/x', 'd/y', 'd/e/z', 'd', 'a.txt/sub', '.gitattributes', '.hidden', 'ignored/f'],
];
const anyName = fc.constantFrom(...names);

const attributes = '* text=auto eol=crlf ident filter=evil working-tree-encoding=UTF-16\n*.txt binary\nd/* -diff merge=union\n';
const contents = [
  '',
  '\n',
  'no end',
  'a\nb\n',
  'a\r\nb\r\n',
  'a\nb\r\n',
  '\xef\xbb\xbfmark\n',
  'caf\xe9\n',
  '\0\x01\x02',
  '$Id$\n',
  attributes,
];
/** Long enough that parts of it are merged, and that a renamed file is known again. */
const lines = fc
  .array(fc.constantFrom('one', 'two', 'three', 'four', ''), { minLength: 8, maxLength: 14 })
  .map((all) => all.map((line, index) => `${index} ${line}\n`).join(''));
const anyContent = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...contents) },
  { weight: 3, arbitrary: lines },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('latin1')) },
);

export const anyAct: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('write' as const), name: anyName, content: anyContent }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('append' as const), name: anyName, content: anyContent }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('remove' as const), name: anyName }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('toggle' as const), name: anyName }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('move' as const), name: anyName, to: anyName }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('link' as const), name: anyName, to: fc.constantFrom('b.txt', '..', '/', 'd', '\xff') }),
  },
);

export const ignoreFile: Act = { type: 'write', name: '.gitignore', content: 'ignored/\n' };

let marks = 0;

/** @param who what a user writes has a line of its own, by which it is known again: `user 7` */
export async function apply(folder: string, acts: readonly Act[], who: 'agent' | 'user'): Promise<void> {
  for (const act of acts) {
    const file = onDisk(folder, act.name);
    const facts = await lstat(file).catch(() => undefined);
    if (act.type === 'write' || act.type === 'append') {
      const before = act.type === 'append' && facts?.isFile() === true ? await readFile(file) : Buffer.alloc(0);
      await makeRoom(folder, act.name);
      const mark = who === 'user' ? `user ${++marks}\n` : '';
      await writeFile(file, Buffer.concat([before, Buffer.from(act.content + mark, 'latin1')]));
    } else if (act.type === 'link') {
      await makeRoom(folder, act.name);
      await symlink(Buffer.from(act.to, 'latin1'), file);
    } else if (facts === undefined) continue;
    else if (act.type === 'remove') await rm(file, { recursive: true });
    else if (act.type === 'toggle' && facts.isFile()) await chmod(file, (facts.mode & 0o100) === 0 ? 0o755 : 0o644);
    else if (act.type === 'move' && !`${act.to}/`.startsWith(`${act.name}/`) && !act.name.startsWith(`${act.to}/`)) {
      await makeRoom(folder, act.to);
      // That may have removed it.
      await rename(file, onDisk(folder, act.to)).catch(() => {});
    }
  }
}

/** Removes whatever is in the place of a file or of its folders. */
async function makeRoom(folder: string, name: string): Promise<void> {
  const parts = name.split('/');
  for (let depth = 1; depth <= parts.length; depth++) {
    const place = onDisk(folder, parts.slice(0, depth).join('/'));
    const facts = await lstat(place).catch(() => undefined);
    if (facts !== undefined && (depth === parts.length || !facts.isDirectory())) await rm(place, { recursive: true });
  }
  await mkdir(onDisk(folder, parts.slice(0, -1).join('/')), { recursive: true });
}

/** Takes back in `now` what made `after` of `before`. @returns undefined if that is not possible */
export function mergeTexts(now: SeenFile, after: SeenFile, before: SeenFile): SeenFile | undefined {
  if ([now, after, before].some(({ mode }) => mode === 'link')) return undefined;
  const mode = now.mode === after.mode ? before.mode : now.mode;
  if (now.content === after.content) return { mode, content: before.content };
  if (now.content === before.content || after.content === before.content) return { mode, content: now.content };
  if (![now, after, before].every(({ content }) => isText(content))) return undefined;
  const folder = mkdtempSync(path.join(tmpdir(), 'acp-host-merge-'));
  try {
    const files = [now, after, before].map(({ content }, index) => {
      const file = path.join(folder, String(index));
      writeFileSync(file, Buffer.from(content, 'latin1'));
      return file;
    });
    const merged = execFileSync('git', ['merge-file', '-p', ...files], { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
    return { mode, content: merged.toString('latin1') };
  } catch {
    return undefined;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function isText(content: string): boolean {
  const bytes = Buffer.from(content, 'latin1');
  return !bytes.includes(0) && Buffer.from(bytes.toString('utf8')).equals(bytes);
}
