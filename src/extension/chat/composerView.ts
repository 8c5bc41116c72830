/** The composer: what the agent lets the user choose, and what may be sent. */
import type { CommandView, ComposerView, ContextChipView, SelectorView } from '../../contract/view.js';
import type { AvailableCommand, ConversationContext, SessionOption, SessionState } from '../../core/index.js';
import { choiceDescription } from '../../text/hintText.js';

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
    selectors: session === undefined ? [] : selectorsOf(session, agent, !live || busy),
    commands: (session?.commands ?? []).map(commandView),
    chips: [...chips],
    ...(disabledReason === undefined ? {} : { disabledReason }),
    ...(session?.usage === undefined ? {} : { usage: usageView(session.usage) }),
  };
}

function selectorsOf({ options }: SessionState, agent: string, disabled: boolean): SelectorView[] {
  return options.map((option) => selectorOf(option, agent, disabled));
}

function selectorOf(option: SessionOption, agent: string, disabled: boolean): SelectorView {
  const { id, name, currentValue } = option;
  const category = option.category === 'mode' || option.category === 'model' ? option.category : 'other';
  const base = { id, label: name, category, disabled, value: currentValue } as const;
  if (option.type === 'boolean') return { ...base, options: [] };
  const options = option.choices.flatMap((entry) =>
    'choices' in entry
      ? entry.choices.map((one) => choice(one.value, `${entry.name}: ${one.name}`, choiceDescription(one, agent)))
      : [choice(entry.value, entry.name, choiceDescription(entry, agent))],
  );
  // An agent may be at a value that it does not list.
  if (!options.some(({ value }) => value === option.currentValue))
    options.unshift(choice(option.currentValue, option.currentValue, undefined));
  return category === 'mode' ? { ...base, options, ...hintOf(option.currentValue, options) } : { ...base, options };
}

/** What the chosen mode means, e.g. that it writes without asking. */
function hintOf(value: string, options: SelectorView['options']): { hint?: string } {
  const hint = options.find((entry) => entry.value === value)?.description;
  return hint === undefined ? {} : { hint };
}

function choice(value: string, label: string, description: string | undefined): SelectorView['options'][number] {
  return description === undefined ? { value, label } : { value, label, description };
}

function commandView({ name, description, input }: AvailableCommand): CommandView {
  const hint = input?.hint;
  return hint === undefined ? { name, description } : { name, description, hint };
}

function usageView({ used, size, cost }: NonNullable<SessionState['usage']>): NonNullable<ComposerView['usage']> {
  return cost === undefined ? { used, size } : { used, size, cost: `${cost.amount.toFixed(2)} ${cost.currency}` };
}
