/** All results so far, in the project: a check of some agents or cases updates only these. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import type { AgentResult } from './check.js';
import { type RealAgent, realAgents } from './catalog.js';

const verdictSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('works'), note: z.optional(z.string()) }),
  z.object({ type: z.literal('agent'), note: z.string() }),
  z.object({ type: z.literal('fault'), note: z.string() }),
]);
/** By agent and version. */
const resultsSchema = z.record(
  z.string(),
  z.object({
    /** The date of the last check, as `2026-01-31`. */
    on: z.string(),
    /** By the title of the case. */
    verdicts: z.record(z.string(), verdictSchema),
  }),
);
export type Results = z.infer<typeof resultsSchema>;

export function keyOf({ name, version }: RealAgent): string {
  return `${name} ${version}`;
}

const file = path.join(import.meta.dirname, 'results.json');

export async function readResults(): Promise<Results> {
  return resultsSchema.parse(JSON.parse(await readFile(file, 'utf8')));
}

/** @param on the date, as `2026-01-31` @returns all results of the catalog's versions, old and new */
export async function keepResults(found: readonly AgentResult[], on: string): Promise<Results> {
  const results = { ...(await readResults()) };
  for (const { agent, verdicts } of found) {
    const latest = Object.fromEntries(verdicts.map(({ title, verdict }) => [title, verdict]));
    results[keyOf(agent)] = { on, verdicts: { ...results[keyOf(agent)]?.verdicts, ...latest } };
  }
  const current = Object.fromEntries(realAgents.map(keyOf).flatMap((key) => (results[key] === undefined ? [] : [[key, results[key]]])));
  await writeFile(file, `${JSON.stringify(current, undefined, 2)}\n`);
  return current;
}
