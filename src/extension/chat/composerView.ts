/** The composer: what the agent lets the user choose, and what may be sent. */
import { type CommandView, type ComposerView, type ContextChipView, otherValue, type SelectorView } from '../../contract/view.js';
import {
  type AvailableCommand,
  choicesOf,
  type ConversationContext,
  neverAsks,
  type OptionChange,
  selectOf,
  type SessionOption,
  type SessionState,
  stripControls,
} from '../../core/index.js';
import { describeCommands } from '../../text/commandText.js';
import { choiceDescription } from '../../text/hintText.js';
import { shorten } from '../../text/plainText.js';

/** The id of the chip for the text of an earlier conversation. */
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

/** What an agent offered when it last ran, in any conversation. */
export interface LastKnown {
  readonly options: readonly SessionOption[];
  readonly commands: readonly AvailableCommand[];
}

export interface ComposerInput {
  readonly agent: string;
  /** Undefined before the first session, when there is nothing to choose yet. */
  readonly session: SessionState | undefined;
  /** Choices of the user that the agent has not accepted yet. */
  readonly optionChanges: readonly OptionChange[];
  /** What the agent offered when it last ran; shown until it does again. */
  readonly lastKnown: LastKnown | undefined;
  /** Nothing can be chosen, because no agent may start, or because the user must first decide how the conversation continues. */
  readonly isFixed: boolean;
  readonly busy: boolean;
  /** A message can reach the running turn. */
  readonly steers: boolean;
  readonly disabledReason: string | undefined;
  readonly chips: readonly ContextChipView[];
}

export function composerView(input: ComposerInput): ComposerView {
  const { agent, session, lastKnown, busy, steers, disabledReason, chips } = input;
  const options = session?.options.length ? session.options : (lastKnown?.options ?? []);
  const commands = session?.commands.length ? session.commands : (lastKnown?.commands ?? []);
  return {
    placeholder: placeholderFor(input),
    busy,
    ...(busy && steers ? { steers } : {}),
    selectors: options.map((option) => {
      const category = (['mode', 'model'] as const).find((one) => selectOf(options, one) === option) ?? 'other';
      return withChange(selectorOf(option, category, agent, input.isFixed), input.optionChanges);
    }),
    commands: describeCommands(commands).map(commandView),
    chips: [...chips],
    ...(disabledReason === undefined ? {} : { disabledReason }),
    ...(session?.usage === undefined ? {} : { usage: usageView(session.usage) }),
  };
}

function placeholderFor({ agent, busy, steers }: ComposerInput): string {
  // Short enough for one line at any width: a second line would move the composer when a turn begins or ends.
  if (!busy) return `Ask ${agent}`;
  return steers ? 'Queue, or Alt+Enter to steer' : 'Queue a message';
}

/** Shows the user's choice, and whether it is still pending. */
function withChange(selector: SelectorView, changes: readonly OptionChange[]): SelectorView {
  const change = changes.find(({ optionId }) => optionId === selector.id);
  if (change === undefined) return selector;
  const { value, state } = change;
  const chosen =
    typeof value === 'boolean' ? (value ? 'on' : 'off') : (selector.options.find((one) => one.value === value)?.label ?? value);
  const { hint: _before, ...rest } = selector;
  if (state === 'asked') return { ...rest, value };
  const when = state === 'deferred' ? 'when this turn ends' : 'after you sign in';
  return { ...rest, value, isPending: true, hint: `${selector.label} changes to ${chosen} ${when}.` };
}

function selectorOf(option: SessionOption, category: SelectorView['category'], agent: string, disabled: boolean): SelectorView {
  const { id, name, currentValue } = option;
  const base = { id, label: stripControls(name), category, disabled, value: currentValue } as const;
  if (option.type === 'boolean') return { ...base, options: [] };
  const options = option.choices.flatMap((entry) =>
    'choices' in entry
      ? entry.choices.map((one) => choice(one.value, `${entry.name}: ${one.name}`, choiceDescription(one, agent)))
      : [choice(entry.value, entry.name, choiceDescription(entry, agent))],
  );
  // The current value may not be in the agent's list.
  if (!options.some(({ value }) => value === option.currentValue))
    options.unshift(choice(option.currentValue, shorten(option.currentValue, valueChars), undefined));
  if (option.custom !== undefined) options.push(choice(otherValue, 'Other…', undefined));
  if (option.category !== 'mode') return { ...base, options };
  const mode = choicesOf(option).find(({ value }) => value === option.currentValue) ?? { value: option.currentValue, name: '' };
  return { ...base, options, ...hintOf(option.currentValue, options), ...(neverAsks(mode) ? { warns: true } : {}) };
}

/** A text that the user entered may be long. */
const valueChars = 40;

/** Returns what the chosen mode does, for example that it writes without asking. */
function hintOf(value: string, options: SelectorView['options']): { hint?: string } {
  const hint = options.find((entry) => entry.value === value)?.description;
  return hint === undefined ? {} : { hint };
}

function choice(value: string, label: string, description: string | undefined): SelectorView['options'][number] {
  const plain = { value, label: stripControls(label) };
  return description === undefined ? plain : { ...plain, description: stripControls(description) };
}

function commandView({ name, description, input }: AvailableCommand): CommandView {
  const hint = input?.hint;
  const plain = { name, description: stripControls(description) };
  return hint === undefined ? plain : { ...plain, hint: stripControls(hint) };
}

function usageView({ used, size, cost }: NonNullable<SessionState['usage']>): NonNullable<ComposerView['usage']> {
  return cost === undefined ? { used, size } : { used, size, cost: `${cost.amount.toFixed(2)} ${cost.currency}` };
}
