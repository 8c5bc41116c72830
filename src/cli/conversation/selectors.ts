/** Sets `--mode` and `--model` before the first turn. */
import { HostError, type Session, type SessionConfigOption } from '../../core/index.js';

/** @throws HostError `usage` for a mode that the agent does not offer, and what setting it throws */
export async function selectMode(session: Session, modeId: string): Promise<void> {
  const { configOptions, modes } = session.state;
  const option = findOption(configOptions, 'mode');
  // Where an agent offers both, the option counts; `modes` is the older form (ACP v1, session config options).
  if (option) return selectOption(session, option, modeId, '--mode');
  if (!modes) throw new HostError('usage', `${session.host.agent.label} has no modes`);
  if (!modes.availableModes.some(({ id }) => id === modeId))
    throw notOffered(
      '--mode',
      modeId,
      modes.availableModes.map(({ id }) => id),
    );
  await session.setMode(modeId);
}

/** @throws as selectMode */
export async function selectModel(session: Session, modelId: string): Promise<void> {
  const option = findOption(session.state.configOptions, 'model');
  if (!option) throw new HostError('usage', `${session.host.agent.label} has no choice of models`);
  await selectOption(session, option, modelId, '--model');
}

async function selectOption(session: Session, option: SessionConfigOption, value: string, flag: string): Promise<void> {
  const offered = valuesOf(option);
  if (!offered.includes(value)) throw notOffered(flag, value, offered);
  await session.setConfigOption(option.id, value);
}

function findOption(options: readonly SessionConfigOption[], category: 'mode' | 'model'): SessionConfigOption | undefined {
  return options.find((option) => option.type === 'select' && option.category === category);
}

function valuesOf(option: SessionConfigOption): readonly string[] {
  if (option.type !== 'select') return [];
  return option.options.flatMap((entry) => ('options' in entry ? entry.options.map(({ value }) => value) : [entry.value]));
}

function notOffered(flag: string, value: string, offered: readonly string[]): HostError {
  return new HostError('usage', `${flag} "${value}" is not an option. The agent offers: ${offered.join(', ')}`);
}
