/** Large diffs must not block the page or the terminal, and unread output must not use more and more memory. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, watch } from 'node:fs';
import path from 'node:path';
import { openDialog } from '../../src/cli/input/requestDialog.js';
import { paintFor } from '../../src/cli/output/terminalText.js';
import { permissionOf } from '../core/request/permissionOf.js';
import { startPageHost } from '../webview/harness.js';
import { emptyView, permissionPrompt } from '../webview/views.js';
import { atMost, type Goal, median } from './report.js';

const limits = { diffMs: 300, unreadMb: 200 } as const;
const diffLines = 20_000;
const rounds = 5;

const root = path.resolve(import.meta.dirname, '../..');
const newText = Array.from({ length: diffLines }, (_, line) => `export const value${line} = ${line};`).join('\n');
/** Every tenth line differs, and all lines are compared. */
const oldText = newText.replace(/value(\d*0) =/g, 'earlier$1 =');

function terminalMs(): number {
  const startedAt = performance.now();
  const request = permissionOf(
    { title: 'Edit', toolKind: 'edit', content: [{ type: 'diff', path: '/p/a.ts', oldText, newText }] },
    { options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }] },
  );
  const { text } = openDialog(request, { paint: paintFor(true), agentLabel: 'Agent', cwd: '/p' });
  if (!text.includes(`value${diffLines - 1}`) && !text.includes('unchanged')) throw new Error('the change was not shown');
  return performance.now() - startedAt;
}

/** Measures from the message of the extension to the frame that shows the diff. */
async function pageMs(pages: Awaited<ReturnType<typeof startPageHost>>): Promise<number> {
  const opened = await pages.open({ view: emptyView(), ownPage: true });
  const diff = { path: '/p/a.ts', oldText, newText, added: diffLines / 10, removed: diffLines / 10 };
  const ms = await opened.page.evaluate(
    async (message) => {
      const startedAt = performance.now();
      window.postMessage(message, '*');
      const frame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve));
      while (document.querySelector('.diff-text') === null) await frame();
      await frame();
      return performance.now() - startedAt;
    },
    {
      type: 'patch',
      revision: 2,
      ops: [{ op: 'prompts', prompts: [permissionPrompt({ toolKind: 'edit', parts: [{ type: 'diff', diff }] })] }],
    },
  );
  await opened.close();
  return ms;
}

async function benchDiffs(): Promise<Goal[]> {
  const pages = await startPageHost();
  const [page, terminal]: [number[], number[]] = [[], []];
  try {
    for (let round = 0; round < rounds; round++) {
      page.push(await pageMs(pages));
      terminal.push(terminalMs());
    }
  } finally {
    await pages.close();
  }
  return [
    atMost('diff-of-20k-lines-page-ms', median(page), limits.diffMs),
    atMost('diff-of-20k-lines-terminal-ms', median(terminal), limits.diffMs),
  ];
}

/** The engine reads all of them, whether or not the terminal reads what is printed. */
const unreadUpdates = 300_000;

/** Sends updates to a reader that does not read, and measures what the command line keeps of them. */
async function benchUnread(folder: string): Promise<Goal[]> {
  const agent = path.join(root, 'test/agents/floodsForever.mjs');
  const done = path.join(folder, 'done');
  const cli = spawn(process.execPath, [path.join(root, 'dist/cli.js'), 'run', '--command', `"${process.execPath}" "${agent}"`, 'go'], {
    cwd: folder,
    env: { ...process.env, ACP_HOST_STATE: path.join(folder, 'state'), FLOOD_COUNT: String(unreadUpdates), FLOOD_DONE: done },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const watcher = watch(folder);
  while (!isWritten(done)) await once(watcher, 'change');
  watcher.close();
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${cli.pid}/status`, 'utf8')) ?? [];
  const gone = once(cli, 'close');
  cli.stdout.destroy();
  await gone;
  return [atMost('unread-output-rss-mb', Number(kilobytes) / 1024, limits.unreadMb)];
}

function isWritten(file: string): boolean {
  try {
    return readFileSync(file, 'utf8').endsWith('\n');
  } catch {
    return false; // it does not exist yet
  }
}

/** @param folder where it may write; Linux only for memory */
export async function benchLimits(folder: string): Promise<Goal[]> {
  return [...(await benchDiffs()), ...(process.platform === 'linux' ? await benchUnread(folder) : [])];
}
