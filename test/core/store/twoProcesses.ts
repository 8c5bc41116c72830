/** A window in this process and a command line in another one, with the same store. */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import path from 'node:path';
import type { TestContext } from 'node:test';
import type { ConversationClient, ConversationCommand, Elsewhere, PassedOver } from '../../../src/core/index.js';
import { text } from '../conversation/frontEnd.js';
import { typescriptProgram } from '../../typescriptProgram.js';
import { type LibraryHost, openLibraryHost } from './libraryHost.js';
import { openStoreLab } from './storeLab.js';

export interface Told {
  readonly said: readonly string[];
  readonly isRunning: boolean;
  readonly live: boolean;
  readonly elsewhere?: Elsewhere;
  readonly passedOver?: PassedOver;
  /** IDs of the open requests of the agent. */
  readonly requests: readonly string[];
}

export interface Other {
  readonly pid: number;
  execute(command: ConversationCommand): void;
  until(holds: (told: Told) => boolean): Promise<Told>;
  kill(signal: NodeJS.Signals): void;
  end(): Promise<void>;
}

export const send = (words: string): ConversationCommand => ({ type: 'send', content: text(words) });

/** A window in this process and a command line in another one, which share a store. */
export async function openTwo(
  t: TestContext,
): Promise<{ readonly here: LibraryHost; readonly client: ConversationClient; begin(): Other }> {
  const lab = await openStoreLab(t);
  const here = openLibraryHost({ state: lab.state, workspace: lab.workspace, program: 'editor', env: { OBEDIENT_UNIQUE_IDS: '1' } });
  keepAlive(t, here);
  return {
    here,
    client: here.open('one'),
    begin: () => startOther(t, [lab.state, lab.workspace, 'one']),
  };
}

/** Keeps the process alive, because the file watcher of a store does not. */
export function keepAlive(t: TestContext, host: LibraryHost): void {
  const alive = setInterval(() => {}, 60_000);
  t.after(async () => {
    clearInterval(alive);
    await host.end();
  });
}

export function startOther(t: TestContext, args: readonly string[]): Other {
  const program = typescriptProgram(path.join(import.meta.dirname, 'otherProcess.ts'));
  const child = fork(program.at(-1) ?? '', args, { execArgv: program.slice(0, -1) });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let last: Told | undefined;
  const watchers = new Set<() => void>();
  child.on('message', (told: Told) => {
    last = told;
    for (const watcher of watchers) watcher();
  });
  t.after(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  return {
    pid: child.pid ?? assert.fail('not started'),
    execute: (command) => void child.send(command),
    until: (holds) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (last === undefined || !holds(last)) return;
          watchers.delete(look);
          resolve(last);
        };
        watchers.add(look);
        look();
      }),
    kill: (signal) => void child.kill(signal),
    async end() {
      child.send('end');
      await exited;
    },
  };
}
