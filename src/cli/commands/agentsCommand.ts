/** `acp-host agents`: the known agents, and which of them are installed. */
import { builtinAgents, chooseDefaultAgent, findAgents, type FoundAgent, type ProcessDefinition } from '../../core/index.js';
import { type AgentsLine } from '../output/reportSchema.js';
import { schemaVersion } from '../output/schemaVersion.js';
import { launchBundle } from '../system/bundles.js';
import { flushed, type Io } from '../system/io.js';

type Found = FoundAgent<ProcessDefinition>;

export async function listAgents(io: Io, cwd: string, format: 'text' | 'json'): Promise<void> {
  const found = await findAgents(builtinAgents(launchBundle), { env: io.env, cwd });
  const chosen = chooseDefaultAgent(found);
  io.stdout.write(format === 'json' ? `${JSON.stringify(agentsLine(found, chosen))}\n` : agentsTable(found, chosen));
  await flushed(io.stdout);
}

function agentsLine(found: readonly Found[], chosen: Found | undefined): AgentsLine {
  return {
    schemaVersion,
    agents: found.map((agent) => ({
      id: agent.definition.id,
      label: agent.definition.label,
      command: agent.definition.command,
      args: [...agent.definition.args],
      path: agent.path ?? null,
      default: agent === chosen,
    })),
  };
}

function agentsTable(found: readonly Found[], chosen: Found | undefined): string {
  const width = Math.max(...found.map(({ definition }) => definition.id.length));
  return (
    found
      .map((agent) => {
        const { id, command } = agent.definition;
        const where = agent.isFallback ? 'built in, needs no model' : (agent.path ?? `not found: \`${command}\` is not on the PATH`);
        return `${agent === chosen ? '*' : ' '} ${id.padEnd(width)}  ${where}\n`;
      })
      .join('') + (chosen ? `\n* The default of \`acp-host run\`.\n` : '')
  );
}
