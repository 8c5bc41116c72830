/** The agent's slash commands, offered while the user types the first word. A listbox whose focus stays in the text box. */
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
  return matching.sort((a, b) => Number(b.name.toLowerCase().startsWith(typed)) - Number(a.name.toLowerCase().startsWith(typed)));
}

interface CommandPopupProps {
  readonly commands: readonly CommandView[];
  readonly selected: number;
  /** The element next to which the list appears. */
  readonly anchor: RefObject<HTMLElement | null>;
  readonly onAccept: (command: CommandView) => void;
}

export function CommandPopup({ commands, selected, anchor, onAccept }: CommandPopupProps) {
  const popup = useFloating<HTMLUListElement>(anchor, 'stretch');
  return (
    <ul ref={popup} class="floating command-popup" role="listbox" id={commandListId} aria-label="Commands of the agent">
      {commands.map((command, index) => (
        <li
          key={command.name}
          id={commandOptionId(index)}
          role="option"
          aria-selected={index === selected}
          ref={(element) => {
            if (index === selected) element?.scrollIntoView({ block: 'nearest' });
          }}
          // The text box must keep the focus, so the mouse press chooses, and not the click after it.
          onMouseDown={(event) => {
            event.preventDefault();
            onAccept(command);
          }}
        >
          <span class="command-name">/{command.name}</span>
          {command.hint === undefined ? null : <span class="command-hint">{command.hint}</span>}
          <span class="command-description">{command.description}</span>
        </li>
      ))}
    </ul>
  );
}
