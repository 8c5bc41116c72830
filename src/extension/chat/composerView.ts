/** The composer: what the agent lets the user choose, and what may be sent. */
import type { CommandView, ComposerView, ContextChipView, SelectorView } from '../../contract/view.js';
import type { AvailableCommand, ConversationContext, SessionConfigOption, SessionModes, SessionState } from '../../core/index.js';

/** The id of the selector for modes that are not a config option. Config options have the prefix below, so none can collide. */
export const modeSelectorId = 'mode';
const configPrefix = 'config:';

export function configSelectorId(configId: string): string {
  return `${configPrefix}${configId}`;
}

/** @returns the agent's config id; undefined where the selector does not stand for a config option */
export function configIdOf(selectorId: string): string | undefined {
  return selectorId.startsWith(configPrefix) ? selectorId.slice(configPrefix.length) : undefined;
}

/** The id of the chip for what was said in an earlier conversation. */
export const contextChipId = 'earlier-conversation';

export function contextChips(context: ConversationContext | undefined): ContextChipView[] {
  if (context === undefined) return [];
  const { text, turns, omittedTurns } = context;
  const counted = `${turns} ${turns === 1 ? 'turn' : 'turns'} · ${Math.max(1, Math.round(text.length / 1024))} KB`;
  const omitted =
    omittedTurns === 0 ? '' : ` The oldest ${omittedTurns === 1 ? 'turn is' : `${omittedTurns} turns are`} left out to save space.`;
  return [
    {
      id: contextChipId,
      label: `Earlier conversation · ${counted}`,
      title: `Sent with your next message only. Open it to read what the agent receives.${omitted}`,
    },
  ];
}

export interface ComposerInput {
  readonly agent: string;
  /** Absent before the first session: nothing to choose yet. */
  readonly session: SessionState | undefined;
  /** The session can be changed now: its agent runs. */
  readonly live: boolean;
  readonly busy: boolean;
  readonly disabledReason: string | undefined;
  readonly chips: readonly ContextChipView[];
}

export function composerView({ agent, session, live, busy, disabledReason, chips }: ComposerInput): ComposerView {
  return {
    placeholder: busy ? `Enter queues your message until ${agent} is done` : `Ask ${agent} …`,
    busy,
    selectors: session === undefined ? [] : selectorsOf(session, !live || busy),
    commands: (session?.commands ?? []).map(commandView),
    chips: [...chips],
    ...(disabledReason === undefined ? {} : { disabledReason }),
    ...(session?.usage === undefined ? {} : { usage: usageView(session.usage) }),
  };
}

function selectorsOf(session: SessionState, disabled: boolean): SelectorView[] {
  const modes = session.modes === undefined ? [] : [modeSelector(session.modes, disabled)];
  return [...modes, ...session.configOptions.map((option) => configSelector(option, disabled))];
}

function modeSelector(modes: SessionModes, disabled: boolean): SelectorView {
  const options = modes.availableModes.map((mode) => option(mode.id, mode.name, mode.description ?? undefined));
  // An agent may be in a mode that it does not list.
  if (!options.some(({ value }) => value === modes.currentModeId))
    options.unshift(option(modes.currentModeId, modes.currentModeId, undefined));
  return {
    id: modeSelectorId,
    label: 'Mode',
    category: 'mode',
    value: modes.currentModeId,
    disabled,
    options,
    ...hintOf(modes.currentModeId, options),
  };
}

function configSelector(config: SessionConfigOption, disabled: boolean): SelectorView {
  const category = config.category === 'mode' || config.category === 'model' ? config.category : 'other';
  const base = { id: configSelectorId(config.id), label: config.name, category, disabled, value: config.currentValue } as const;
  if (config.type === 'boolean') return { ...base, options: [] };
  const options = config.options.flatMap((entry) =>
    'group' in entry
      ? entry.options.map(({ value, name, description }) => option(value, `${entry.name}: ${name}`, description ?? undefined))
      : [option(entry.value, entry.name, entry.description ?? undefined)],
  );
  return category === 'mode' ? { ...base, options, ...hintOf(config.currentValue, options) } : { ...base, options };
}

/** What the chosen mode means, e.g. that it writes without asking. */
function hintOf(value: string, options: SelectorView['options']): { hint?: string } {
  const hint = options.find((entry) => entry.value === value)?.description;
  return hint === undefined ? {} : { hint };
}

function option(value: string, label: string, description: string | undefined): SelectorView['options'][number] {
  return description === undefined ? { value, label } : { value, label, description };
}

function commandView({ name, description, input }: AvailableCommand): CommandView {
  const hint = input?.hint;
  return hint === undefined ? { name, description } : { name, description, hint };
}

function usageView({ used, size, cost }: NonNullable<SessionState['usage']>): NonNullable<ComposerView['usage']> {
  return cost === undefined ? { used, size } : { used, size, cost: `${cost.amount.toFixed(2)} ${cost.currency}` };
}
