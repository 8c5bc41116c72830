/** `acp-host agents`: the known and installed agents, and those that can be installed. */
import {
  type AgentCatalog,
  type AgentElsewhere,
  builtinAgents,
  type CatalogAgent,
  chooseDefaultAgent,
  fetchRegistry,
  listAgentsElsewhere,
  listCatalog,
  type ProcessDefinition,
  readRegistry,
  type Registry,
} from '../../core/index.js';
import { adapterText, commandWithoutSecrets, hostName, needText, quarantineText, quoted, sourceWord } from '../../text/installText.js';
import type { RequestOf } from '../arguments/parseArguments.js';
import { type AgentsLine, schemaVersion } from '../output/reportSchema.js';
import { oneLine } from '../../text/plainText.js';
import { agentState, registryOf } from '../system/agents.js';
import { launchBundle } from '../system/ownPackage.js';
import { untilInterrupted } from '../system/interrupts.js';
import { type Io, writeJson } from '../system/io.js';

type Found = CatalogAgent<ProcessDefinition>;
interface Listed extends AgentCatalog<ProcessDefinition> {
  readonly elsewhere: readonly AgentElsewhere[];
  /** The default. */
  readonly chosen: Found | undefined;
}

/** @throws HostError `install_failed` if the registry can't be fetched */
export async function listAgents({ format, refresh }: RequestOf<'agents'>, io: Io): Promise<void> {
  const [stateFolder, url] = [agentState(io), registryOf(io)];
  const registry = refresh ? await untilInterrupted((signal) => fetchRegistry(stateFolder, url, signal)) : readRegistry(stateFolder, url);
  const builtin = builtinAgents(launchBundle);
  const catalog = await listCatalog({ builtin }, registry, { stateFolder, context: { env: io.env, cwd: process.cwd() } });
  const chosen = chooseDefaultAgent(catalog.agents.filter(({ isFoundByName }) => isFoundByName !== true));
  const elsewhere = listAgentsElsewhere(
    catalog.agents.map(({ definition }) => definition),
    io.env,
  );
  const listed = { ...catalog, elsewhere, chosen };
  if (format === 'json') writeJson(io.stdout, agentsLine(listed, registry));
  else io.stdout.write(agentsTable(listed, registry));
}

function agentsLine({ agents, available, elsewhere, chosen }: Listed, registry: Registry): AgentsLine {
  return {
    schemaVersion,
    agents: agents.map((agent) => ({
      id: agent.definition.id,
      label: agent.definition.label,
      command: agent.definition.command,
      args: [...agent.definition.args],
      path: agent.path ?? null,
      default: agent === chosen,
      ...(agent.installed && { installed: { version: agent.installed.version, update: agent.update?.version ?? null } }),
    })),
    available: available.map(({ id, label, entry, way, needs, isAdapterMissing }) => ({
      id,
      label,
      version: entry.version,
      description: entry.description ?? null,
      license: entry.license ?? null,
      quarantine: entry.quarantine ?? null,
      source: way.type,
      needs: needs ?? null,
      isMissingAdapter: isAdapterMissing === true,
    })),
    elsewhere: elsewhere.map((agent) => {
      const [command = '', ...args] = commandWithoutSecrets(agent);
      return { name: agent.name, host: agent.host, command, args, variables: Object.keys(agent.env) };
    }),
    registry: {
      asOf: new Date(registry.asOf).toISOString(),
      source: registry.source ?? null,
      leftOut: registry.leftOut.map((one) => ({ ...one })),
    },
  };
}

function agentsTable({ agents, available, elsewhere, chosen }: Listed, registry: Registry): string {
  const width = Math.max(...[...agents.map(({ definition }) => definition), ...available].map(({ id }) => id.length));
  // A missing agent that can be installed is in the other list.
  const shown = agents.filter(({ path, definition }) => path !== undefined || available.every(({ id }) => id !== definition.id));
  const found = shown.map((agent) => `${agent === chosen ? '*' : ' '} ${agent.definition.id.padEnd(width)}  ${whereIs(agent)}\n`);
  const installable = available.map(({ id, label, entry, way, needs, isAdapterMissing }) => {
    const facts = [
      `${label} ${entry.version}`,
      sourceWord(way),
      ...(needs === undefined ? [] : [needText(needs)]),
      ...(entry.quarantine === undefined ? [] : [quarantineText(entry.quarantine)]),
      ...(isAdapterMissing === true ? [adapterText(label)] : []),
    ];
    return `  ${id.padEnd(width)}  ${oneLine(facts.join(' · '))}\n`;
  });
  return [
    ...found,
    ...(chosen ? [`\n* The default of \`acp-host run\`.\n`] : []),
    ...(elsewhere.length === 0 ? [] : ['\nConfigured elsewhere; start one with its --command:\n', ...elsewhere.map(elsewhereRow)]),
    ...(available.length === 0 ? [] : [`\nAvailable with \`acp-host install NAME\` (${listName(registry)}):\n`, ...installable]),
    ...(registry.leftOut.length === 0
      ? []
      : [`\nNot shown: ${oneLine(registry.leftOut.map(({ id }) => id).join(', '))}. --format json says why.\n`]),
  ].join('');
}

function elsewhereRow(agent: AgentElsewhere): string {
  const sets = Object.keys(agent.env);
  const facts = [
    `${agent.name} (from ${hostName(agent)})`,
    commandWithoutSecrets(agent).map(quoted).join(' '),
    ...(sets.length === 0 ? [] : [`sets ${sets.join(', ')}`]),
  ];
  return `  ${oneLine(facts.join(' · '))}\n`;
}

function whereIs({ definition, path, isFallback, installed, update }: Found): string {
  if (isFallback) return 'built in, needs no model';
  if (installed === undefined) return path ?? `not found: \`${definition.command}\` is not on the PATH`;
  const newer = update === undefined ? '' : `; ${update.version} is available with \`acp-host update ${definition.id}\``;
  return oneLine(`installed by ACP Host: ${installed.version}${newer}`);
}

function listName({ asOf, source }: Registry): string {
  const day = new Date(asOf).toISOString().slice(0, 10);
  return source === undefined ? `the ACP registry as of ${day}; --refresh fetches a newer one` : `as of ${day}`;
}
