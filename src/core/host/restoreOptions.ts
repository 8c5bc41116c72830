/** Restores the options of a session that an agent forgot. */
import type { BackendSession } from '../backends/agentBackend.js';
import type { Clock } from '../base/clock.js';
import { toHostError } from '../base/errors.js';
import type { UnrestoredOption } from '../session/hostNotice.js';
import { choicesOf, isChoice, type SessionOption } from '../session/sessionOption.js';
import type { HostSession } from './hostSession.js';

/**
 * Some agents resume a session with their default mode and model, and not all of them report it.
 * The options that the user sees must be in effect, or reported as not restored.
 * @throws HostError `agent_exited`
 */
export async function restoreOptions(
  session: HostSession,
  saved: readonly SessionOption[],
  opened: BackendSession,
  clock: Clock,
): Promise<void> {
  const problems: UnrestoredOption[] = [];
  for (const option of [...saved].sort((one, other) => rankOf(one) - rankOf(other))) {
    const problem = await restore(session, option, opened);
    if (problem !== undefined) problems.push(problem);
  }
  if (problems.length === 0) return;
  session.emit({
    type: 'host_notice',
    at: clock.now(),
    severity: 'warning',
    code: 'settings_not_restored',
    params: { options: problems },
  });
}

/** The mode first, then the model: the other options may depend on them. */
function rankOf({ category }: SessionOption): number {
  return category === 'mode' ? 0 : category === 'model' ? 1 : 2;
}

/** @returns the failure, if any */
async function restore(
  session: HostSession,
  wanted: SessionOption,
  { unstated, moreOptions }: BackendSession,
): Promise<UnrestoredOption | undefined> {
  const current = (): SessionOption | undefined => session.state.options.find(({ id, type }) => id === wanted.id && type === wanted.type);
  if (current()?.currentValue === wanted.currentValue && !unstated.has(wanted.id)) return undefined;
  if (!offers(current(), wanted)) await moreOptions;
  const what = { name: wanted.name, value: nameOf(wanted) };
  if (!offers(current(), wanted)) return what;
  try {
    await session.setOption(wanted.id, wanted.currentValue);
    return undefined;
  } catch (thrown) {
    const error = toHostError(thrown);
    if (error.code === 'agent_exited') throw error;
    return { ...what, error: error.toData() };
  }
}

function offers(option: SessionOption | undefined, wanted: SessionOption): boolean {
  return option !== undefined && isChoice(option, wanted.currentValue);
}

function nameOf(option: SessionOption): string | boolean {
  if (option.type === 'boolean') return option.currentValue;
  return choicesOf(option).find(({ value }) => value === option.currentValue)?.name ?? option.currentValue;
}
