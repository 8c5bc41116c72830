/** Runs every case with every agent, one after another. */
import type { RealAgent } from './catalog.js';
import { type Case, cases } from './cases.js';
import { find } from './install.js';
import { startScriptedModel } from './model/server.js';
import { startTrial } from './trial.js';
import { byAgent, fault, type Verdict } from './verdict.js';

export interface AgentResult {
  readonly agent: RealAgent;
  /** In the order of `cases`. */
  readonly verdicts: readonly { readonly title: string; readonly verdict: Verdict }[];
}

/**
 * @param wanted titles of cases; all cases if it is empty
 * @param say reports each verdict as soon as it is known
 * @throws if the agent is not installed
 */
export async function checkAgent(agent: RealAgent, wanted: readonly string[], say: (line: string) => void): Promise<AgentResult> {
  const found = await find(agent);
  if ('missing' in found) throw new Error(`${agent.name} is not installed: ${found.missing}`);
  const verdicts: { readonly title: string; readonly verdict: Verdict }[] = [];
  for (const one of cases.filter(({ title }) => wanted.length === 0 || wanted.includes(title))) {
    const verdict = await runCase(one, agent, found.folder);
    verdicts.push({ title: one.title, verdict });
    say(`${agent.name}  ${one.title}: ${verdict.type}${verdict.note === undefined ? '' : ` (${verdict.note})`}`);
  }
  return { agent, verdicts };
}

async function runCase({ run, withoutKey = false, forAll = false }: Case, agent: RealAgent, folder: string): Promise<Verdict> {
  if (!agent.isScripted && !forAll) return byAgent('replies with a fixed script');
  const model = await startScriptedModel();
  const trial = await startTrial({ agent, folder, model, withoutKey });
  try {
    return await run(trial);
  } catch (error) {
    return fault(`no verdict: ${error instanceof Error ? error.message.slice(-1500) : String(error)}`);
  } finally {
    await trial.end();
    await model.close();
  }
}
