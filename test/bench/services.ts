/**
 * `npm run bench -- services`: what it costs that agents write files and run commands through their host. Medians of rounds in turn. Files are
 * compared with `writeFile` of Node.js, in the same folders, one after the other, as an agent that waits for each answer.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ByteRing } from '../../src/core/process/commandTerminal.js';
import { createAgentFiles } from '../../src/core/services/agentFiles.js';
import { atMost, median, printTable, writeReport } from './report.js';

const limits = { files: 1.5, ringMsFor100Mb: 1_000 } as const;
const files = 10_000;
const filesInFolder = 100;
const rounds = 5;
const chunkBytes = 64 * 1024;
const ringBytes = 1024 * 1024;

async function elapsed(work: () => Promise<void> | void): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** As many milliseconds as 100 MB of output take, in chunks as a pipe gives them, read once for each 16th. */
function ringMs(): Promise<number> {
  const ring = new ByteRing(ringBytes);
  const chunk = Buffer.from('a line of output with ö and ✓ in it\n'.repeat(chunkBytes)).subarray(0, chunkBytes);
  const chunks = 100_000_000 / chunkBytes;
  return elapsed(() => {
    let read = 0;
    for (let index = 0; index < chunks; index++) {
      ring.push(Buffer.from(chunk));
      if (index % 16 === 0) read += ring.text.length;
    }
    if (read === 0) throw new Error('Nothing was read.');
  });
}

const root = await mkdtemp(path.join(tmpdir(), 'acp-host-bench-'));

async function newFolder(name: string): Promise<string> {
  const folder = path.join(root, name);
  for (let index = 0; index < files; index += filesInFolder)
    await mkdir(path.join(folder, String(index / filesInFolder)), { recursive: true });
  return folder;
}

async function writeAll(folder: string, write: (path: string, text: string) => Promise<void>): Promise<number> {
  const took = await elapsed(async () => {
    for (let index = 0; index < files; index++)
      await write(path.join(folder, String(Math.floor(index / filesInFolder)), `${index}.txt`), `${index}\n`.repeat(50));
  });
  await rm(folder, { recursive: true });
  return took;
}

async function policyMs(): Promise<number> {
  const folder = await newFolder('policy');
  const agentFiles = createAgentFiles({
    sessionId: 'bench',
    folder,
    editor: undefined,
    requestUser: () => Promise.reject(new Error('Nothing is to be asked.')),
    onWritten() {},
  });
  const { signal } = new AbortController();
  return writeAll(folder, (file, text) => agentFiles.writeText(file, text, signal));
}

const plainMs = async (): Promise<number> => writeAll(await newFolder('plain'), (file, text) => writeFile(file, text));

const taken: { readonly plain: number; readonly policy: number; readonly ring: number }[] = [];
try {
  for (let round = 0; round < rounds; round++) taken.push({ plain: await plainMs(), policy: await policyMs(), ring: await ringMs() });
} finally {
  await rm(root, { recursive: true, force: true });
}
const plain = median(taken.map((one) => one.plain));
const policy = median(taken.map((one) => one.policy));
const ring = median(taken.map((one) => one.ring));
printTable(
  'services',
  ['what', 'ms', 'each, µs'],
  [
    [`${files} files, writeFile`, plain, (plain * 1000) / files],
    [`${files} files, through the host`, policy, (policy * 1000) / files],
    ['100 MB of output', ring, (ring * 1000) / (100_000_000 / chunkBytes)],
  ],
);
writeReport('services', [atMost('files/plain', policy / plain, limits.files), atMost('100-mb-of-output-ms', ring, limits.ringMsFor100Mb)]);
