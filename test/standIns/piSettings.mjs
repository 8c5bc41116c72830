/**
 * The settings of piStandIn.mjs. The thinking level is one that the model supports: the next higher one, otherwise the next lower one, and
 * `off` for a model that cannot think.
 */
const levels = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];
const modes = ['all', 'one-at-a-time'];

export const models = [
  { id: 'one', name: 'Model One', provider: 'mock', reasoning: true, input: ['text', 'image'], contextWindow: 1000 },
  { id: 'sub/two', name: 'Model Two', provider: 'mock', reasoning: false, input: ['text'], contextWindow: 1000 },
];

export function settingsFor(agent) {
  const { isXcsh, isNew, emit, violation } = agent;
  const levelsOf = ({ reasoning }) => (!reasoning ? ['off'] : isNew ? ['off', 'medium', 'max'] : levels.slice(0, 6));

  function nearest(level) {
    const known = levelsOf(agent.session.model);
    const at = levels.indexOf(level);
    return [...levels.slice(at), ...levels.slice(0, at).reverse()].find((one) => known.includes(one));
  }
  function think(level) {
    const { session } = agent;
    // xcsh then has no level until one is set again.
    const next = isXcsh && !session.model.reasoning && level !== 'off' ? undefined : level && nearest(level);
    if (next === session.thinking) return;
    session.thinking = next;
    if (!isXcsh) emit({ type: 'thinking_level_changed', level: next });
  }
  const set = (key, allowed) => (command) => {
    if (!allowed.includes(command.mode)) violation(`${command.type} ${command.mode}`);
    agent.session[key] = command.mode;
  };
  return {
    get_available_models: () => ({ models }),
    set_model({ provider, modelId }) {
      const { session } = agent;
      const found = models.find((one) => one.provider === provider && one.id === modelId);
      if (found === undefined) throw new Error(`Model not found: ${provider}/${modelId}`);
      // Pi returns to its default if the previous model could not think.
      const level = isXcsh || session.model.reasoning ? session.thinking : 'medium';
      session.model = found;
      think(level);
      return found;
    },
    set_thinking_level({ type, level }) {
      if (!levels.includes(level)) violation(`${type} ${level}`);
      think(level);
    },
    set_steering_mode: set('steering', modes),
    set_follow_up_mode: set('followUp', modes),
    set_auto_retry({ enabled }) {
      if (typeof enabled !== 'boolean') violation('set_auto_retry');
    },
    set_auto_compaction: ({ enabled }) => void (agent.session.autoCompaction = enabled),
    ...(isXcsh ? { set_interrupt_mode: set('interrupt', ['immediate', 'wait']) } : {}),
    ...(isNew ? { get_available_thinking_levels: () => ({ levels: levelsOf(agent.session.model) }) } : {}),
  };
}
