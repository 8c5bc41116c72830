/** The frame of every prompt: title, position in the queue, keys, focus, and the moment in which it cannot be decided yet. */
import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { PageMessage } from '../../contract/pageMessages.js';
import type { PromptView } from '../../contract/view.js';
import type { Post } from '../base/hostLink.js';
import { isTextField, mayTakeFocus } from '../base/typing.js';
import { AgentIcon, Icon, TimeLeft } from '../components/components.js';
import { isPressedSince, spendHeldKeys, useTypedKeys } from './presses.js';

/** The user must not decide by accident a prompt that appears during a click or a key press. */
const guardMs = 400;

export interface PromptFrame {
  /** "1 of 3" and the way to the others, after the last to the first; absent if it is the only one. */
  readonly place: { readonly index: number; readonly count: number; readonly go: (step: -1 | 1) => void } | undefined;
  /** Absent if the prompt is the whole page. */
  readonly minimize: (() => void) | undefined;
  readonly modal: boolean;
  /** Moves the keyboard focus when a prompt that had it disappears. */
  readonly returnFocus: () => void;
  /** Continues the message of the user in the composer, with the focus; absent if the prompt is the whole page. */
  readonly write: ((text: string) => void) | undefined;
}

interface PromptDialogProps {
  readonly prompt: PromptView;
  readonly frame: PromptFrame;
  readonly icon: string;
  readonly onDismiss: () => void;
  /** For the keys 1 to 9; absent if they choose nothing. @param index 0-based */
  readonly onDigit?: ((index: number) => void) | undefined;
  /** Digits only mark a choice. Absent: they decide the prompt. */
  readonly digitsMark?: boolean;
  /** Takes what is typed outside of text fields instead of the composer. */
  readonly write?: ((text: string) => void) | undefined;
  /** Gets the keyboard focus instead of the dialog itself. Never a button. */
  readonly firstField?: RefObject<HTMLElement | null> | undefined;
  readonly armed: boolean;
  readonly children: ComponentChildren;
}

/**
 * Since when the prompt can be decided, in the time of `performance.now`. Undefined until the prompt has been visible for a moment, and
 * again whenever the page becomes visible.
 */
function useArmedAt(): number | undefined {
  const [armedAt, setArmedAt] = useState<number>();
  useLayoutEffect(() => {
    const arm = (): void => setArmedAt(performance.now());
    let timer = setTimeout(arm, guardMs);
    const onShown = (): void => {
      clearTimeout(timer);
      setArmedAt(undefined);
      timer = setTimeout(arm, guardMs);
    };
    document.addEventListener('visibilitychange', onShown);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onShown);
    };
  }, []);
  return armedAt;
}

export function PromptDialog(props: PromptDialogProps) {
  const { prompt, frame, icon, children } = props;
  const dialog = useRef<HTMLDivElement>(null);
  useFocus(dialog, props);
  const onTypedKey = useTypedKeys();
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing || event.keyCode === 229 || event.altKey || event.ctrlKey || event.metaKey) return;
    if (!onPromptKey(event, dialog.current, props, onTypedKey)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      ref={dialog}
      class={`prompt ${prompt.kind}`}
      role="dialog"
      aria-modal={frame.modal || undefined}
      aria-labelledby="prompt-title"
      tabIndex={-1}
      onKeyDown={onKeyDown}
    >
      <div class="prompt-head">
        <Icon name={icon} />
        <h2 id="prompt-title" dir="auto">
          {prompt.title}
        </h2>
        <span class="prompt-tools">
          <span class="prompt-agent" title={prompt.agent}>
            <AgentIcon agent={prompt.agent} />
            <span class="sr-only">{prompt.agent}</span>
          </span>
          {frame.place === undefined ? null : <Place {...frame.place} />}
          {frame.minimize === undefined ? null : (
            <button type="button" class="icon-button" aria-label="Minimize" title="Minimize: it stays pending" onClick={frame.minimize}>
              <Icon name="chevron-down" />
            </button>
          )}
        </span>
      </div>
      {prompt.conversation === undefined ? null : (
        <div class="prompt-note" dir="auto">
          <Icon name="comment-discussion" /> {prompt.conversation}
        </div>
      )}
      {prompt.note === undefined ? null : (
        <div class="prompt-note" dir="auto">
          <Icon name="info" /> {prompt.note}
        </div>
      )}
      {children}
      {prompt.until === undefined ? null : (
        <div class="prompt-note">
          <Icon name="clockface" /> {prompt.kind === 'permission' && prompt.rejectsWhenDismissed ? 'Rejects once' : 'Cancels'}
          <TimeLeft until={prompt.until} />
        </div>
      )}
    </div>
  );
}

function Place({ index, count, go }: NonNullable<PromptFrame['place']>) {
  return (
    <span class="prompt-place">
      <button
        type="button"
        class="icon-button"
        aria-label="Previous request"
        title="Previous request (←)"
        disabled={index === 0}
        onClick={() => go(-1)}
      >
        <Icon name="chevron-left" />
      </button>
      <span>
        {index + 1} of {count}
      </span>
      <button type="button" class="icon-button" aria-label="Next request" title="Next request (→)" onClick={() => go(1)}>
        <Icon name="chevron-right" />
      </button>
    </span>
  );
}

/** @returns true if the key was for the prompt */
function onPromptKey(
  event: KeyboardEvent,
  dialog: HTMLElement | null,
  { armed, frame, onDismiss, onDigit, digitsMark, write = frame.write }: PromptDialogProps,
  onTypedKey: ReturnType<typeof useTypedKeys>,
): boolean {
  const inText = isTextField(event.target);
  // A key that is held down decides nothing.
  if (event.repeat && (event.key === 'Escape' || (!inText && /^[1-9 ]$|^Enter$/.test(event.key)))) return true;
  const isTyped = !inText && onTypedKey(event, { onDigit, armed, digitsMark, write });
  if (event.key === 'Escape') {
    // A single key must not discard a text, whichever field contains it: the first Escape only leaves the field.
    if (event.target !== dialog && hasText(dialog)) dialog?.focus();
    else if (armed) onDismiss();
    return true;
  }
  if (inText || isTyped) return isTyped;
  if (event.target instanceof HTMLInputElement || frame.place === undefined) return false;
  if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return false;
  const { index, count, go } = frame.place;
  if (event.key === 'ArrowRight' ? index < count - 1 : index > 0) go(event.key === 'ArrowLeft' ? -1 : 1);
  return true;
}

function hasText(dialog: HTMLElement | null): boolean {
  return [...(dialog?.querySelectorAll<HTMLTextAreaElement | HTMLInputElement>('.answer') ?? [])].some(({ value }) => value !== '');
}

function useFocus(dialog: RefObject<HTMLDivElement | null>, { frame, firstField, armed }: PromptDialogProps): void {
  useLayoutEffect(() => {
    // A button that becomes disabled would lose the focus, and the next prompt or the composer would not get it.
    const active = document.activeElement;
    if (active instanceof HTMLButtonElement && active.disabled && dialog.current?.contains(active) === true) dialog.current.focus();
  }, [armed]);
  useLayoutEffect(() => {
    const element = dialog.current;
    const take = (): void => (firstField?.current ?? element)?.focus({ preventScroll: true });
    if (mayTakeFocus()) take();
    // A page that shows only this prompt takes the focus when the user activates it.
    const onWindowFocus = (): void => {
      if (frame.modal && document.activeElement === document.body) take();
    };
    window.addEventListener('focus', onWindowFocus);
    return () => {
      window.removeEventListener('focus', onWindowFocus);
      // Without the focus of the window, the user is in another part of the editor.
      if (!document.hasFocus() || element?.contains(document.activeElement) !== true) return;
      // Runs after the next prompt could take the focus.
      queueMicrotask(() => {
        if (document.activeElement === document.body || !document.activeElement?.isConnected) frame.returnFocus();
      });
    };
  }, []);
}

interface Decision {
  /** False for a moment before the prompt can be decided, and after the decision. */
  readonly ready: boolean;
  /** Posts the message if the current click or key is for this prompt. @returns whether it was */
  act(message: PageMessage): boolean;
  /** Works only once. @returns whether the prompt was decided by this */
  decide(message: PageMessage): boolean;
  dismiss(): void;
}

export function useDecision(promptId: string, post: Post): Decision {
  const armedAt = useArmedAt();
  const [decided, setDecided] = useState(false);
  /** Also known to a digit that was pressed before and is still waiting. */
  const isDecided = useRef(false);
  const ready = armedAt !== undefined && !decided;
  const act = (message: PageMessage): boolean => {
    if (!ready || isDecided.current || !isPressedSince(armedAt)) return false;
    post(message);
    return true;
  };
  const decide = (message: PageMessage): boolean => {
    if (!act(message)) return false;
    spendHeldKeys();
    isDecided.current = true;
    setDecided(true);
    return true;
  };
  return { ready, act, decide, dismiss: () => void decide({ type: 'dismiss', promptId }) };
}
