/** What an agent reports about itself outside its turns: its state, models, commands and plan. */
import { usableCommands } from '../agentInput.js';
import { isDeepStrictEqual } from 'node:util';
import type * as z from 'zod/mini';
import { HostError } from '../../base/errors.js';
import type { SessionEvent } from '../../session/event.js';
import type { AvailableCommand, PlanEntry, SessionUsage } from '../../session/model.js';
import type { SessionOption } from '../../session/sessionOption.js';
import type { PiDialect } from './dialect.js';
import type { PiHostTools } from './hostTools.js';
import type { CallOptions } from './piCalls.js';
import { commandFor, type PiOptionFacts, toOptions, unstatedOptions } from './piOptions.js';
import type { PiProcess } from './piProcess.js';
import type { Teller } from './piSessionParts.js';
import { verbCommands } from './piVerbs.js';
import {
  commandsSchema,
  hostToolsSchema,
  levelsSchema,
  modelsSchema,
  nothing,
  type PiState,
  queueSchema,
  statsSchema,
  type TodoPhases,
} from './schema/answers.js';
import type { BackendDeadlines } from '../agentBackend.js';
import type { Logger } from '../../base/logger.js';

/** Facts at the end of a run are not worth a longer wait. */
const factsMs = 2_000;

const statsCall = { command: { type: 'get_session_stats' }, answer: statsSchema };
type PiStats = z.infer<typeof statsSchema>;

export interface PiSettingsParts {
  readonly process: PiProcess;
  readonly dialect: PiDialect;
  readonly deadlines: BackendDeadlines;
  readonly log: Logger;
  readonly hostTools: PiHostTools;
}

export class PiSettings {
  readonly #parts: PiSettingsParts;
  #facts: PiOptionFacts | undefined;
  #options: readonly SessionOption[] = [];
  #plan: readonly PlanEntry[] = [];
  /** The usage when the session was opened. */
  #usage: SessionUsage | undefined;
  commands: readonly AvailableCommand[] = [];
  canClearQueue = false;

  constructor(parts: PiSettingsParts) {
    this.#parts = parts;
  }

  get options(): readonly SessionOption[] {
    return this.#options;
  }

  get state(): PiState | undefined {
    return this.#facts?.state;
  }

  /** Asks the agent for its settings and commands. Leaves out those that the agent refuses because it does not support them. */
  async learn(state: PiState): Promise<void> {
    const { listsCommands, tellsQueue, takesHostTools } = this.#parts.dialect;
    const { hostTools } = this.#parts;
    const tools = takesHostTools ? hostTools.definitions : undefined;
    const [models, commands, levels, queue, usage, registered] = await Promise.all([
      this.#probe({ command: { type: 'get_available_models' }, answer: modelsSchema }),
      listsCommands ? this.#probe({ command: { type: 'get_commands' }, answer: commandsSchema }) : undefined,
      tellsQueue ? this.#probe({ command: { type: 'get_available_thinking_levels' }, answer: levelsSchema }) : undefined,
      tellsQueue && state.isStreaming !== true ? this.#probe({ command: { type: 'clear_queue' }, answer: queueSchema }) : undefined,
      this.#askForUsage(state),
      tools && this.#probe({ command: { type: 'set_host_tools', tools }, answer: hostToolsSchema }),
    ]);
    hostTools.registered(registered?.toolNames ?? []);
    this.commands = usableCommands((commands?.commands ?? []).map(({ name, description = '' }) => ({ name, description })));
    this.canClearQueue = queue !== undefined;
    this.#facts = { state, models: models?.models ?? [], levels: levels?.levels, autoRetry: true };
    this.#options = toOptions(this.#facts);
    this.#usage = usage;
  }

  /** Returns all settings, for an owner that has none yet. */
  tellAll(at: number): readonly SessionEvent[] {
    const own = verbCommands(this.#parts.dialect).filter(({ name }) => !this.commands.some((other) => other.name === name));
    return [
      { type: 'commands', at, commands: [...this.commands, ...own] },
      ...(this.state?.sessionName === undefined ? [] : [{ type: 'info' as const, at, title: this.state.sessionName }]),
      ...(this.#usage === undefined ? [] : [{ type: 'usage' as const, at, usage: this.#usage }]),
      ...this.plan(this.state?.todoPhases, at),
    ];
  }

  /**
   * @returns all options after the change
   * @throws HostError `usage`, `request_failed`, `request_timeout`, `agent_exited`
   */
  async set(id: string, value: string | boolean): Promise<readonly SessionOption[]> {
    const { process, deadlines } = this.#parts;
    const { models = [] } = this.#facts ?? {};
    const command = this.#options.some((option) => option.id === id) ? commandFor(id, value, models) : undefined;
    if (command === undefined) throw new HostError('request_failed', { method: 'set_option', detail: `${id}=${String(value)}` });
    await process.calls.request({ command, answer: nothing, timeoutMs: deadlines.queryMs });
    if (unstatedOptions.has(id) && this.#facts !== undefined) this.#facts = { ...this.#facts, autoRetry: value === true };
    // The agent chooses the nearest value that it supports.
    await this.#follow(await process.state(deadlines.queryMs));
    return this.#options;
  }

  /** @returns whether the level changed */
  setLevel(thinkingLevel: string): boolean {
    return this.#facts !== undefined && this.#update({ ...this.#facts.state, thinkingLevel });
  }

  /** Asks the agent at the end of a run, or after a change of the model, what it has used and what is left of its plan. Never rejects. */
  async askForFacts({ emit, now }: Teller): Promise<PiState | undefined> {
    const { process, log } = this.#parts;
    try {
      const stats = await process.calls.request({ ...statsCall, timeoutMs: factsMs });
      const state = await process.state(factsMs);
      const usage = usageIn(stats, state);
      if (usage !== undefined) emit({ type: 'usage', at: now(), usage });
      for (const event of this.plan(state.todoPhases, now())) emit(event);
      // A program in the agent may have chosen another model, which no event reports.
      if (await this.#follow(state)) emit({ type: 'options', at: now(), options: this.#options });
      return state;
    } catch (error) {
      log.debug('The agent did not report the state of its run', error);
      return undefined;
    }
  }

  /** Never rejects. */
  async #askForUsage(state: PiState): Promise<SessionUsage | undefined> {
    const { process, log } = this.#parts;
    try {
      return usageIn(await process.calls.request({ ...statsCall, timeoutMs: factsMs }), state);
    } catch (error) {
      log.debug('The agent did not report the usage of its session', error);
      return undefined;
    }
  }

  /** Returns the plan if it changed. */
  plan(phases: TodoPhases | undefined, at: number): readonly SessionEvent[] {
    if (phases === undefined) return [];
    const entries = toPlan(phases);
    if (isDeepStrictEqual(entries, this.#plan)) return [];
    this.#plan = entries;
    return [{ type: 'plan', at, entries }];
  }

  /**
   * Asks for the thinking levels again if the model changed.
   * @returns whether anything changed
   */
  async #follow(state: PiState): Promise<boolean> {
    const { state: before, levels } = this.#facts ?? {};
    if (levels !== undefined && !isDeepStrictEqual(before?.model, state.model)) {
      const told = await this.#probe({ command: { type: 'get_available_thinking_levels' }, answer: levelsSchema });
      if (this.#facts !== undefined) this.#facts = { ...this.#facts, levels: told?.levels };
    }
    return this.#update(state);
  }

  #update(state: PiState): boolean {
    if (this.#facts === undefined) return false;
    this.#facts = { ...this.#facts, state };
    const options = toOptions(this.#facts);
    if (isDeepStrictEqual(options, this.#options)) return false;
    this.#options = options;
    return true;
  }

  async #probe<T>(call: Pick<CallOptions<T>, 'command' | 'answer'>): Promise<T | undefined> {
    const { process, deadlines, log } = this.#parts;
    try {
      return await process.calls.request({ ...call, timeoutMs: deadlines.sessionMs });
    } catch (error) {
      if (!(error instanceof HostError) || (error.code !== 'request_failed' && error.code !== 'invalid_response')) throw error;
      log.debug(`The agent does not support ${call.command.type}`, error);
      return undefined;
    }
  }
}

function usageIn({ cost: amount, contextUsage: told }: PiStats, state: PiState): SessionUsage | undefined {
  const contextUsage = told ?? state.contextUsage;
  if (contextUsage?.tokens == null) return undefined;
  const cost = amount === undefined ? undefined : { amount, currency: 'USD' };
  return { used: contextUsage.tokens, size: contextUsage.contextWindow, cost };
}

const statuses: ReadonlyMap<string, PlanEntry['status']> = new Map([
  ['pending', 'pending'],
  ['in_progress', 'in_progress'],
  ['completed', 'completed'],
  // Nothing is left to do for an abandoned entry.
  ['abandoned', 'completed'],
]);

function toPlan(phases: TodoPhases): readonly PlanEntry[] {
  return phases.flatMap(({ tasks }) =>
    tasks.map(({ content, status = 'pending' }) => ({
      content,
      priority: 'medium' as const,
      status: statuses.get(status) ?? 'pending',
      ...(status === 'abandoned' ? { _meta: { status } } : {}),
    })),
  );
}
