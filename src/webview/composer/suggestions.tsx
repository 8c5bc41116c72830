/**
 * What the user may be typing: a slash command of the agent as the first word, or the name of a file after `@`. A listbox whose focus stays
 * in the text box.
 */
import type { RefObject } from 'preact';
import type { CommandView } from '../../contract/view.js';
import { useFloating } from '../components/floating.js';

export const commandListId = 'command-list';

export function commandOptionId(index: number): string {
  return `command-${index}`;
}

/** Commands that begin with the typed text come first. Empty if there is nothing to offer. */
export function matchCommands(text: string, commands: readonly CommandView[]): readonly CommandView[] {
  const typed = /^\/(\S*)$/.exec(text)?.[1]?.toLowerCase();
  if (typed === undefined) return [];
  const matching = commands.filter(({ name }) => name.toLowerCase().includes(typed));
  const rank = ({ name }: CommandView): number => (`/${name}` === text ? -1 : Number(!name.toLowerCase().startsWith(typed)));
  return matching.sort((a, b) => rank(a) - rank(b));
}

/** What is typed after `@` at the beginning of a word, from `start` to `end` of `text`. */
export interface Mention {
  readonly text: string;
  readonly typed: string;
  readonly start: number;
  readonly end: number;
}

/** @param caret where the user types */
export function mentionIn(text: string, caret: number): Mention | undefined {
  const typed = /(?:^|\s)@(\S{0,100})$/.exec(text.slice(0, caret))?.[1];
  return typed === undefined ? undefined : { text, typed, start: caret - typed.length - 1, end: caret };
}

export function isMentioned(text: string, path: string): boolean {
  return withoutMention(text, path) !== text;
}

/** Keeps longer paths that begin like this one. @param path the title of a chip of a file, with the separators of its system */
export function withoutMention(text: string, path: string): string {
  const mention = `@${path.replaceAll('\\', '/')}`;
  return text.split(mention).reduce((before, after) => before + (/^\.?[\w/-]/.test(after) ? mention + after : after.replace(/^ /, '')));
}

/** An entry of the list. Two may have the same name, with different descriptions. */
export interface Suggestion extends CommandView {
  readonly accept: () => void;
}

/** Eight rows, one of them with two lines. */
const mostPx = 216;

interface SuggestionsProps {
  readonly label: string;
  readonly suggestions: readonly Suggestion[];
  readonly selected: number;
  /** The element next to which the list appears. */
  readonly anchor: RefObject<HTMLElement | null>;
}

export function Suggestions({ label, suggestions, selected, anchor }: SuggestionsProps) {
  const popup = useFloating<HTMLUListElement>(anchor, 'stretch', mostPx);
  return (
    <ul ref={popup} class="floating command-popup" role="listbox" id={commandListId} aria-label={label}>
      {suggestions.map(({ name, hint, description, accept }, index) => (
        <li
          key={name + description}
          id={commandOptionId(index)}
          role="option"
          aria-selected={index === selected}
          ref={(element) => {
            if (index === selected) element?.scrollIntoView({ block: 'nearest' });
          }}
          // The text box must keep the focus, so the mouse press chooses, and not the click after it.
          onMouseDown={(event) => {
            event.preventDefault();
            accept();
          }}
        >
          <span class="command-name">{name}</span>
          {hint === undefined ? null : <span class="command-hint">{hint}</span>}
          <span class="command-description">{description}</span>
        </li>
      ))}
    </ul>
  );
}
