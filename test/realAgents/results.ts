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
/** By agent and version, then by the title of the case. */
const resultsSchema = z.record(z.string(), z.record(z.string(), verdictSchema));
export type Results = z.infer<typeof resultsSchema>;

const file = path.join(agentsFolder, 'results.json');

async function readResults(): Promise<Results> {
  const text = await readFile(file, 'utf8').catch(() => '{}');
  return resultsSchema.parse(JSON.parse(text));
}

/** @returns all results, old and new */
export async function keepResults(found: readonly AgentResult[]): Promise<Results> {
  const results = { ...(await readResults()) };
  for (const { agent, verdicts } of found) {
    const key = `${agent.name} ${agent.version}`;
    results[key] = { ...results[key], ...Object.fromEntries(verdicts.map(({ title, verdict }) => [title, verdict])) };
  }
  await mkdir(agentsFolder, { recursive: true });
  await writeFile(file, `${JSON.stringify(results, undefined, 1)}\n`);
  return results;
}
