/** Chats with an agent through the command line. */
import type { EventLine } from '../../src/cli/output/eventSchema.js';
import { type CliProcess, eventsOf } from '../cli/cliProcess.js';
import { only } from './events.js';
import type { Message } from './traffic.js';
import type { Trial, TrialRun } from './trial.js';

export function until(cli: CliProcess, what: string, holds: (events: readonly EventLine[]) => boolean): Promise<void> {
  return cli.until(what, () => holds(soFar(cli)));
}

export function soFar({ stdout }: CliProcess): readonly EventLine[] {
  return eventsOf(stdout.slice(0, stdout.lastIndexOf('\n') + 1));
}

export function turnEnds(cli: CliProcess, count: number): Promise<void> {
  return until(cli, `${count} ends of turns`, (events) => only(events, 'turn').filter(({ phase }) => phase === 'end').length >= count);
}

export async function finish(cli: CliProcess): Promise<readonly EventLine[]> {
  cli.child.stdin.end();
  return eventsOf((await cli.ended()).stdout);
}

export interface Talk extends TrialRun {
  /** Everything that the host and the agent said to each other. */
  readonly messages: readonly Message[];
}

/** Sends the prompts one after the other. @param names of the scripted model */
export async function converse(trial: Trial, args: readonly string[], ...names: readonly string[]): Promise<Talk> {
  const cli = trial.chat(args);
  for (const [index, name] of names.entries()) {
    cli.writeLine({ prompt: trial.prompt(name) });
    await turnEnds(cli, index + 1);
  }
  const watch = await trial.watch();
  const messages = await watch.messages();
  watch.dispose();
  cli.child.stdin.end();
  const result = await cli.ended();
  return { ...result, events: eventsOf(result.stdout), messages };
}
