/** What an agent says when it opens a session, made the session's state; and what it forgot, set again. */
import type { OpenedSession } from '../backends/agentBackend.js';
import type { Clock } from '../base/clock.js';
import { toHostError } from '../base/errors.js';
import type { SessionConfigOption, SessionModes, SessionState } from '../session/model.js';
import type { HostSession } from './hostSession.js';

export function applyOpened(session: HostSession, { configOptions, modes }: OpenedSession, clock: Clock): void {
  const at = clock.now();
  session.emit({ type: 'config_options', at, configOptions });
  if (modes !== undefined) session.emit({ type: 'modes', at, modes });
}

/**
 * Some agents take a session up in their default mode and with their default model, and not all of them say so.
 * What the user sees must be what holds, or be said not to.
 * @throws HostError `agent_exited`
 */
export async function restoreSettings(session: HostSession, kept: SessionState, opened: OpenedSession, clock: Clock): Promise<void> {
  const problems = [await restoreMode(session, kept.modes, opened.modes)];
  // The model first: what else can be set may depend on it.
  const wanted = [...kept.configOptions].sort((one, other) => Number(other.category === 'model') - Number(one.category === 'model'));
  for (const option of wanted) problems.push(await restoreOption(session, option, opened.moreOptions));
  const told = problems.filter((problem) => problem !== undefined);
  if (told.length === 0) return;
  session.emit({
    type: 'notice',
    at: clock.now(),
    severity: 'warning',
    title: 'Not everything could be set again as it was',
    description: told.join('\n'),
  });
}

/** @param now absent where the agent did not say @returns what went wrong, in words */
async function restoreMode(
  session: HostSession,
  wanted: SessionModes | undefined,
  now: SessionModes | undefined,
): Promise<string | undefined> {
  if (wanted === undefined || now?.currentModeId === wanted.currentModeId) return undefined;
  const mode = wanted.availableModes.find(({ id }) => id === wanted.currentModeId);
  const what = `Mode "${mode?.name ?? wanted.currentModeId}"`;
  if (now?.availableModes.every(({ id }) => id !== wanted.currentModeId)) return `${what} is no longer offered.`;
  return attempt(what, () => session.setMode(wanted.currentModeId));
}

async function restoreOption(
  session: HostSession,
  wanted: SessionConfigOption,
  moreOptions: Promise<void> | undefined,
): Promise<string | undefined> {
  const current = (): SessionConfigOption | undefined =>
    session.state.configOptions.find(({ id, type }) => id === wanted.id && type === wanted.type);
  if (current()?.currentValue === wanted.currentValue) return undefined;
  if (!offers(current(), wanted.currentValue)) await moreOptions;
  const what = `${wanted.name} "${nameOf(wanted)}"`;
  if (!offers(current(), wanted.currentValue)) return `${what} is no longer offered.`;
  return attempt(what, () => session.setConfigOption(wanted.id, wanted.currentValue));
}

async function attempt(what: string, set: () => Promise<void>): Promise<string | undefined> {
  try {
    await set();
    return undefined;
  } catch (thrown) {
    const error = toHostError(thrown);
    if (error.code === 'agent_exited') throw error;
    return `${what} was refused: ${error.message}`;
  }
}

function offers(option: SessionConfigOption | undefined, value: string | boolean): boolean {
  return option?.type === 'boolean' || (option?.type === 'select' && choicesOf(option).some((choice) => choice.value === value));
}

function nameOf(option: SessionConfigOption): string {
  if (option.type === 'boolean') return option.currentValue ? 'on' : 'off';
  return choicesOf(option).find(({ value }) => value === option.currentValue)?.name ?? option.currentValue;
}

function choicesOf({
  options,
}: Extract<SessionConfigOption, { type: 'select' }>): readonly { readonly value: string; readonly name: string }[] {
  return options.flatMap((entry) => ('value' in entry ? [entry] : entry.options));
}
