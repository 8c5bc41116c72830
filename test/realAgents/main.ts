/**
 * `npm run agents -- list | install [NAME…] | check [NAME…] [--case TITLE]…`: installs real agents into `.agents` and drives them with the
 * scripted model. A check updates docs/agents.md for these agents and cases.
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { agentsNamed, type RealAgent } from './catalog.js';
import { type AgentResult, checkAgent } from './check.js';
import { find, install } from './install.js';
import { agentsPage, reportOf } from './report.js';
import { keepResults } from './results.js';

const say = (line: string): void => console.log(line);

async function list(agents: readonly RealAgent[]): Promise<void> {
  for (const agent of agents) {
    const found = await find(agent);
    say(`${agent.name}  ${agent.version}  ${'missing' in found ? `not installed: ${found.missing}` : 'installed'}`);
  }
}

async function check(agents: readonly RealAgent[], wanted: readonly string[]): Promise<boolean> {
  const results: AgentResult[] = [];
  for (const agent of agents) results.push(await checkAgent(agent, wanted, say));
  const faults = results.flatMap(({ verdicts }) => verdicts.filter(({ verdict }) => verdict.type === 'fault')).length;
  say(`${results.flatMap(({ verdicts }) => verdicts).length} cases, ${faults} faults`);
  await writeFile(agentsPage, reportOf(await keepResults(results, new Date().toISOString().slice(0, 10))));
  return faults === 0;
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { case: { type: 'string', multiple: true } } });
const [command, ...names] = positionals;
const agents = agentsNamed(names);
if (command === 'install') for (const agent of agents) await install(agent, say);
else if (command === 'check') process.exitCode = (await check(agents, values.case ?? [])) ? 0 : 1;
else if (command === 'list') await list(agents);
else {
  say('Usage: npm run agents -- list | install [NAME…] | check [NAME…] [--case TITLE]…');
  process.exitCode = 2;
}
