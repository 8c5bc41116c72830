/** The agents that can be chosen: found ones first, missing ones last with the way to install them. */
import { basename } from 'node:path';
import { type FoundAgent, isAvailable } from '../../core/index.js';

export interface AgentRow {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly state: 'found' | 'missing';
  /** A command to run in a terminal, if it is known how to install a missing agent. */
  readonly installCommand?: string;
}

const order = ['found', 'fallback', 'adapter', 'missing'] as const;

/** @param versionOf returns the version that the agent reported when it last ran */
export function agentRows(found: readonly FoundAgent[], versionOf: (agentId: string) => string | undefined): readonly AgentRow[] {
  const rankOf = (agent: FoundAgent): number =>
    order.indexOf(
      !isAvailable(agent) ? (agent.isAdapterMissing === true ? 'adapter' : 'missing') : agent.isFallback ? 'fallback' : 'found',
    );
  return [...found].sort((a, b) => rankOf(a) - rankOf(b)).map((agent) => rowOf(agent, versionOf(agent.definition.id)));
}

function rowOf({ definition, path, isFallback, isAdapterMissing, installCommand }: FoundAgent, version: string | undefined): AgentRow {
  const { id, label } = definition;
  const base = { id, label };
  if ('url' in definition) return { ...base, state: 'found', description: joined([version, new URL(definition.url).host]) };
  const program = basename(definition.command);
  if (path !== undefined) {
    const facts = [version, isFallback ? 'built in, without a model' : program === label ? undefined : program];
    return { ...base, state: 'found', description: joined(facts) };
  }
  return installCommand === undefined
    ? { ...base, state: 'missing', description: `${program} was not found · Open Settings…` }
    : {
        ...base,
        state: 'missing',
        description: `${isAdapterMissing === true ? `installed, but ${program} is not` : 'not installed'} · Install…`,
        installCommand,
      };
}

function joined(facts: readonly (string | undefined)[]): string {
  return facts.filter((fact) => fact !== undefined).join(' · ');
}
