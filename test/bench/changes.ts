/**
 * `npm run bench -- changes`: what it costs that the changes of turns are recorded. Medians. A snapshot is compared with `git stash create`
 * in the same tree, each with one changed file.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { devNull, tmpdir } from 'node:os';
import path from 'node:path';
import { ConversationChanges } from '../../src/core/services/changes/conversationChanges.js';
import { FolderChanges } from '../../src/core/services/changes/folderChanges.js';
import { atMost, type Goal, median, printTable, writeReport } from './report.js';

const limits = { ratio: 1.2, snapshotMs: 500, beginMs: 50, undoMs: 3_000 } as const;
const sizes = [1_000, 10_000, 100_000] as const;
/** Where the overhead of a turn is measured. */
const usualFiles = 10_000;
const undoneFiles = 2_000;
const filesInFolder = 100;
const rounds = 9;
/** What takes less time is measured more often. */
const roundsOfFew = 61;
const fewFiles = 1_000;

const root = await mkdtemp(path.join(tmpdir(), 'acp-host-bench-'));

function git(cwd: string, ...args: readonly string[]): void {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_NOSYSTEM: '1' };
  execFileSync('git', ['-c', 'user.name=Bench', '-c', 'user.email=bench@example.org', '-c', 'gc.auto=0', ...args], { cwd, env });
}

const fileAt = (index: number): string => path.join(`d${Math.floor(index / filesInFolder)}`, `${index}.txt`);

/** Writes files with 20 lines each. @returns the folder */
async function project(count: number): Promise<string> {
  const folder = path.join(root, String(count));
  for (let index = 0; index < count; index += filesInFolder) {
    await mkdir(path.join(folder, path.dirname(fileAt(index))), { recursive: true });
    const batch = Array.from({ length: Math.min(filesInFolder, count - index) }, (_, at) => index + at);
    await Promise.all(batch.map((one) => writeFile(path.join(folder, fileAt(one)), `${one}\n${`line of ${one}\n`.repeat(20)}`)));
  }
  git(folder, 'init', '--quiet');
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '-m', 'all');
  return folder;
}

async function elapsed(work: () => Promise<unknown> | void): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

const open = (folder: string): FolderChanges => new FolderChanges(path.join(root, 'state'), folder);
const conversationIn = (folder: FolderChanges, cwd: string): ConversationChanges =>
  new ConversationChanges({
    id: 'bench',
    cwd,
    folder,
    editor: { unsaved: () => Promise.resolve({}), edit: () => Promise.resolve([]) },
  });

interface Snapshots {
  readonly files: number;
  readonly coldMs: number;
  readonly unchangedMs: number;
  readonly warmMs: number;
  readonly stashMs: number;
}

async function measureSnapshots(files: number): Promise<Snapshots> {
  const folder = await project(files);
  const changes = open(folder);
  const coldMs = await elapsed(() => changes.snapshot());
  const [unchanged, warm, stash]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < (files <= fewFiles ? roundsOfFew : rounds); round++) {
    await writeFile(path.join(folder, fileAt(round)), `changed ${round}\n`);
    // Both in turn first, so that neither always finds what the other has read.
    const works = [
      async () => void warm.push(await elapsed(() => changes.snapshotAfterWork())),
      async () => void stash.push(await elapsed(() => git(folder, 'stash', 'create'))),
    ];
    for (const work of round % 2 === 0 ? works : works.toReversed()) await work();
    unchanged.push(await elapsed(() => changes.snapshot()));
  }
  return { files, coldMs, unchangedMs: median(unchanged), warmMs: median(warm), stashMs: median(stash) };
}

/** @returns how long the agent waits for the prompt */
async function measureTurn(): Promise<{ readonly beginMs: number; readonly endMs: number }> {
  const folder = path.join(root, String(usualFiles));
  const changes = conversationIn(open(folder), folder);
  await changes.begin('first');
  await changes.end('first', new Set());
  const [begin, end]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    begin.push(await elapsed(() => changes.begin(`turn ${round}`)));
    await writeFile(path.join(folder, fileAt(round)), `turn ${round}\n`);
    end.push(await elapsed(() => changes.end(`turn ${round}`, new Set())));
  }
  return { beginMs: median(begin), endMs: median(end) };
}

async function measureUndo(): Promise<{ readonly recordMs: number; readonly undoMs: number }> {
  const folder = path.join(root, String(usualFiles));
  const inFolder = open(folder);
  const changes = conversationIn(inFolder, folder);
  await changes.begin('many');
  for (let index = 0; index < undoneFiles; index++) await writeFile(path.join(folder, fileAt(index)), `many ${index}\n`);
  const recordMs = await elapsed(() => changes.end('many', new Set()));
  await inFolder.settled();
  const undoMs = await elapsed(async () => {
    const { undone } = await changes.undo({ ids: ['many'] });
    if (undone.length !== undoneFiles) throw new Error(`${undone.length} files`);
  });
  await inFolder.settled();
  return { recordMs, undoMs };
}

try {
  const snapshots: Snapshots[] = [];
  for (const size of sizes) snapshots.push(await measureSnapshots(size));
  printTable(
    'snapshots, in ms',
    ['files', 'first', 'unchanged', 'one file', 'git stash create'],
    snapshots.map(({ files, coldMs, unchangedMs, warmMs, stashMs }) => [files.toLocaleString('en'), coldMs, unchangedMs, warmMs, stashMs]),
  );
  const { beginMs, endMs } = await measureTurn();
  const { recordMs, undoMs } = await measureUndo();
  printTable(
    'turns, in ms',
    ['', 'before', 'after', 'undo'],
    [
      [`1 of ${usualFiles.toLocaleString('en')} files`, beginMs, endMs, ''],
      [`${undoneFiles.toLocaleString('en')} of ${usualFiles.toLocaleString('en')} files`, '', recordMs, undoMs],
    ],
  );
  const goals: readonly Goal[] = [
    ...snapshots.map(({ files, warmMs, stashMs }) => atMost(`${files / 1_000}k.snapshot/stash`, warmMs / stashMs, limits.ratio)),
    atMost('100k.snapshot-ms', snapshots.at(-1)?.warmMs ?? Number.NaN, limits.snapshotMs),
    atMost('10k.begin-ms', beginMs, limits.beginMs),
    atMost('2k-files.undo-ms', undoMs, limits.undoMs),
  ];
  writeReport('changes', goals);
} finally {
  await rm(root, { recursive: true, force: true });
}
