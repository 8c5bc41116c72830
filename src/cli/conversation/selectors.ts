/** Sets `--mode` and `--model` before the first turn. */
import { choicesOf, HostError, selectOf, type Session } from '../../core/index.js';

/** @throws HostError `usage` for a mode that the agent does not offer, and what setting it throws */
export async function selectMode(session: Session, modeId: string): Promise<void> {
  await select(session, 'mode', modeId, `${session.host.agent.label} has no modes`);
}

/** @throws as selectMode */
export async function selectModel(session: Session, modelId: string): Promise<void> {
  await select(session, 'model', modelId, `${session.host.agent.label} has no choice of models`);
}

async function select(session: Session, category: 'mode' | 'model', value: string, noChoice: string): Promise<void> {
  const option = selectOf(session.state.options, category);
  if (option === undefined) throw new HostError('usage', noChoice);
  const offered = choicesOf(option).map((choice) => choice.value);
  if (!offered.includes(value)) {
    throw new HostError('usage', `--${category} "${value}" is not an option. The agent offers: ${offered.join(', ')}`);
  }
  await session.setOption(option.id, value);
}
