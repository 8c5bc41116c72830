/** `--mode` and `--model`: by name of what the agent offers, before the first turn. */
import { choicesOf, HostError, type Session, selectOf } from '../core/index.js';

/** @throws HostError `usage` when the agent does not offer it; and what setting it throws */
export async function selectMode(session: Session, modeId: string): Promise<void> {
  await select(session, 'mode', modeId, `${session.host.agent.label} has no modes`);
}

/** @throws as selectMode */
export async function selectModel(session: Session, modelId: string): Promise<void> {
  await select(session, 'model', modelId, `${session.host.agent.label} does not let its model be chosen`);
}

async function select(session: Session, category: 'mode' | 'model', value: string, without: string): Promise<void> {
  const option = selectOf(session.state.options, category);
  if (option === undefined) throw new HostError('usage', without);
  const offered = choicesOf(option).map((choice) => choice.value);
  if (!offered.includes(value)) {
    throw new HostError('usage', `The agent does not offer --${category} "${value}". It offers: ${offered.join(', ')}`);
  }
  await session.setOption(option.id, value);
}
