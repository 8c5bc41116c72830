/** Prompts that no turn has taken yet, one per line, each with buttons to edit or remove it if that is possible. */
import type { ChatView } from '../../contract/view.js';
import type { ComposerModel } from '../composer/composerModel.js';
import type { Post } from '../base/hostLink.js';
import { Icon } from '../components/components.js';

interface WaitingProps {
  readonly prompts: ChatView['queue'];
  /** The noun for one of them, in lower case. */
  readonly name: string;
  readonly post: Post;
  readonly model: ComposerModel;
}

/** Screen readers read the whole name. */
const nameChars = 80;

export function Waiting({ prompts, name, post, model }: WaitingProps) {
  const edit = (id: string, text: string): void => {
    post({ type: 'unqueue', id, edits: true });
    model.edit(text);
  };
  return (
    <ul>
      {prompts.map(({ id, text, isFixed, goes }) => (
        <li key={id} class="queued">
          <span class="queued-text" dir="auto" title={beginningOf(text, 1000)}>
            {beginningOf(text, 200)}
          </span>
          <span class="queue-title">{goes}</span>
          {isFixed === true ? null : (
            <>
              <button
                type="button"
                class="icon-button"
                aria-label={`Edit ${name}: ${beginningOf(text, nameChars)}`}
                title="Edit"
                onClick={() => edit(id, text)}
              >
                <Icon name="edit" />
              </button>
              <button
                type="button"
                class="icon-button"
                aria-label={`Remove ${name}: ${beginningOf(text, nameChars)}`}
                title="Remove"
                onClick={() => post({ type: 'unqueue', id })}
              >
                <Icon name="close" />
              </button>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

function beginningOf(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, chars)} …`;
}
