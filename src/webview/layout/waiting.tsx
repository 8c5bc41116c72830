/** Prompts that no turn has taken yet, one per line, each with buttons for what can be done with it, and a grip if there is an order to change. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ChatView } from '../../contract/view.js';
import type { Post } from '../base/hostLink.js';
import { Icon } from '../components/components.js';
import type { ComposerModel } from '../composer/composerModel.js';

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
  const movable = prompts.filter(({ sendNow }) => sendNow !== undefined);
  const list = useRef<HTMLUListElement>(null);
  const movedByKey = useRef<HTMLElement | null>(null);
  const isDragging = useRef(false);
  /** Where the prompt is shown meanwhile: before the other movable one with this index. */
  const [drag, setDrag] = useState<{ readonly id: string; readonly to: number }>();
  // The host has moved it, or something else happened to the queue.
  useLayoutEffect(() => {
    isDragging.current = false;
    setDrag(undefined);
    // A button that is moved in the page loses the focus.
    movedByKey.current?.focus();
    movedByKey.current = null;
  }, [prompts]);
  const othersOf = (id: string): ChatView['queue'] => movable.filter((one) => one.id !== id);
  const placeOf = (id: string): number => movable.findIndex((one) => one.id === id);
  const move = (id: string, to: number): boolean => {
    const others = othersOf(id);
    if (to === placeOf(id) || to < 0 || to > others.length) return false;
    post({ type: 'moveQueued', id, before: others[to]?.id });
    return true;
  };
  const dragged = movable.find(({ id }) => id === drag?.id);
  const shown =
    drag === undefined || dragged === undefined
      ? prompts
      : [...prompts.filter((one) => !movable.includes(one)), ...othersOf(drag.id).toSpliced(drag.to, 0, dragged)];
  return (
    <ul
      ref={list}
      onPointerMove={({ clientY }) => {
        if (!isDragging.current || drag === undefined) return;
        const rows = [...(list.current?.querySelectorAll('.movable:not(.dragged)') ?? [])];
        const to = rows.filter((row) => row.getBoundingClientRect().bottom - row.clientHeight / 2 < clientY).length;
        if (to !== drag.to) setDrag({ id: drag.id, to });
      }}
      onLostPointerCapture={() => {
        const isDropped = isDragging.current && drag !== undefined && move(drag.id, drag.to);
        isDragging.current = false;
        if (!isDropped) setDrag(undefined);
      }}
    >
      {shown.map(({ id, text, isFixed, goes, sendNow }) => {
        const button = (icon: string, label: string, title: string, onClick: () => void) => (
          <button
            type="button"
            class="icon-button"
            aria-label={`${label}: ${beginningOf(text, nameChars)}`}
            title={title}
            onClick={onClick}
          >
            <Icon name={icon} />
          </button>
        );
        const isMovable = sendNow !== undefined && movable.length > 1;
        return (
          <li key={id} class={`queued${isMovable ? ' movable' : ''}${drag?.id === id ? ' dragged' : ''}`}>
            {isMovable ? (
              <button
                type="button"
                class="icon-button grip"
                aria-label={`Move ${name} ${placeOf(id) + 1} of ${movable.length}: ${beginningOf(text, nameChars)}`}
                title="Drag, or press Up or Down, to reorder"
                onPointerDown={({ button: pressed, pointerId }) => {
                  if (pressed !== 0) return;
                  isDragging.current = true;
                  setDrag({ id, to: placeOf(id) });
                  list.current?.setPointerCapture(pointerId);
                }}
                onKeyDown={(event) => {
                  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
                  if (step === undefined) return;
                  event.preventDefault();
                  if (move(id, placeOf(id) + step)) movedByKey.current = event.currentTarget;
                }}
              >
                <Icon name="gripper" />
              </button>
            ) : null}
            <span class="queued-text" dir="auto" title={beginningOf(text, 1000)}>
              {beginningOf(text, 200)}
            </span>
            <span class="queue-title">{goes}</span>
            {sendNow === undefined ? null : button('arrow-up', `Send ${name} immediately`, sendNow, () => post({ type: 'sendQueued', id }))}
            {isFixed === true
              ? null
              : [
                  button('edit', `Edit ${name}`, 'Edit', () => {
                    post({ type: 'unqueue', id, edits: true });
                    model.edit(text);
                  }),
                  button('close', `Remove ${name}`, 'Remove', () => post({ type: 'unqueue', id })),
                ]}
          </li>
        );
      })}
    </ul>
  );
}

function beginningOf(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, chars)} …`;
}
