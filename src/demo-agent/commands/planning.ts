import { stat } from 'node:fs/promises';
import type { PlanEntry } from '@agentclientprotocol/sdk/unstable';
import { runTool, textContent } from '../toolCall.js';
import type { Turn } from '../turn.js';
import { walkFiles } from '../workspace.js';
import { type Command, plural } from './command.js';

interface Found {
  readonly file: string;
  readonly sizeBytes: number;
}

/** A small job with a plan that is real: each step is marked when it is done. */
export const planCommand: Command = {
  name: 'plan',
  description: 'Make a plan and carry it out: find the largest files of the workspace',
  async run(turn) {
    const { root, display } = turn.session.workspace;
    const plan = new Plan(turn, ['Find the files of the workspace', 'Measure them', 'Report the largest']);

    await plan.begin(0);
    const files = await runTool(turn, {
      title: 'Find all files',
      kind: 'search',
      rawInput: { path: root },
      async run() {
        const all = await collect(walkFiles(root, turn.signal));
        return { value: all, content: [textContent(plural(all.length, 'file'))] };
      },
    });
    await plan.begin(1);
    const measured = await runTool(turn, {
      title: `Measure ${plural(files.length, 'file')}`,
      kind: 'read',
      rawInput: { path: root },
      async run() {
        const sizes = await measure(files, turn.signal);
        return { value: sizes, content: [textContent(`${plural(sum(sizes), 'byte')} in all`)] };
      },
    });
    await plan.begin(2);
    const largest = [...measured].sort((a, b) => b.sizeBytes - a.sizeBytes).slice(0, 5);
    const rows = largest.map(({ file, sizeBytes }) => `| \`${display(file)}\` | ${sizeBytes.toLocaleString('en')} |`);
    await turn.say(`The workspace has ${plural(files.length, 'file')} with ${plural(sum(measured), 'byte')}.`);
    if (rows.length > 0) await turn.say(['| Largest file | Bytes |', '|---|---:|', ...rows].join('\n'));
    await plan.begin(3);
  },
};

class Plan {
  readonly #turn: Turn;
  readonly #steps: readonly string[];

  constructor(turn: Turn, steps: readonly string[]) {
    this.#turn = turn;
    this.#steps = steps;
  }

  /** Marks the steps before `current` as done; all steps if it is beyond the last one. */
  begin(current: number): Promise<void> {
    const entries = this.#steps.map(
      (content, index): PlanEntry => ({
        content,
        priority: index === 2 ? 'high' : 'medium',
        status: index < current ? 'completed' : index === current ? 'in_progress' : 'pending',
      }),
    );
    return this.#turn.session.send({ sessionUpdate: 'plan', entries });
  }
}

async function collect<T>(source: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of source) all.push(item);
  return all;
}

async function measure(files: readonly string[], signal: AbortSignal): Promise<readonly Found[]> {
  const measured: Found[] = [];
  for (const file of files) {
    signal.throwIfAborted();
    const info = await stat(file).catch(() => undefined); // the file no longer exists
    if (info) measured.push({ file, sizeBytes: info.size });
  }
  return measured;
}

function sum(found: readonly Found[]): number {
  return found.reduce((total, { sizeBytes }) => total + sizeBytes, 0);
}
