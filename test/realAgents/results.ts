/** All results so far, saved next to the installed agents: a check of some cases updates only these. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import type { AgentResult } from './check.js';
import { agentsFolder } from './install.js';

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

const file = path.join(agentsFolder, 'results.json');

async function readResults(): Promise<Results> {
  const text = await readFile(file, 'utf8').catch(() => '{}');
  return resultsSchema.parse(JSON.parse(text));
}

/** @param on the date, as `2026-01-31` @returns all results, old and new */
export async function keepResults(found: readonly AgentResult[], on: string): Promise<Results> {
  const results = { ...(await readResults()) };
  for (const { agent, verdicts } of found) {
    const key = `${agent.name} ${agent.version}`;
    const latest = Object.fromEntries(verdicts.map(({ title, verdict }) => [title, verdict]));
    results[key] = { on, verdicts: { ...results[key]?.verdicts, ...latest } };
  }
  await mkdir(agentsFolder, { recursive: true });
  await writeFile(file, `${JSON.stringify(results, undefined, 1)}\n`);
  return results;
}
