/** Where the user writes: the text box, the context, the agent's options, Send and Stop. */
import { useRef, useState } from 'preact/hooks';
import type { CommandView, SelectorView } from '../../contract/view.js';
import { Icon } from '../components/components.js';
import { isFirstClick } from '../base/dom.js';
import { isSeen } from '../components/floating.js';
import type { Post } from '../base/hostLink.js';
import type { Sections } from '../base/store.js';
import { addFiles } from './adding.js';
import type { ComposerModel } from './composerModel.js';
import { Chips, ContextMeter, Selectors } from './surroundings.js';
import {
  commandListId,
  commandOptionId,
  isMentioned,
  matchCommands,
  type Mention,
  mentionIn,
  type Suggestion,
  Suggestions,
} from './suggestions.js';

interface ComposerProps {
  readonly sections: Sections;
  readonly model: ComposerModel;
  readonly post: Post;
}

export function Composer({ sections, model, post }: ComposerProps) {
  const { placeholder, disabledReason, selectors, chips, usage } = sections.composer.value;
  const isNew = ({ id, isPending }: SelectorView): boolean => isPending === true || id === model.changedMode.value;
  return (
    <form
      class="composer"
      aria-label="Composer"
      onSubmit={(event) => {
        event.preventDefault();
        sendFromButton(model);
      }}
    >
      {disabledReason === undefined ? null : (
        <div class="composer-reason" id="composer-reason">
          {disabledReason}
        </div>
      )}
      <div class="composer-box">
        <Chips chips={chips} model={model} post={post} />
        <MessageBox sections={sections} model={model} placeholder={placeholder} post={post} />
        <div class="composer-bar">
          <Selectors selectors={selectors} post={post} />
          <span class="composer-end">
            {usage === undefined ? null : <ContextMeter usage={usage} />}
            <SendButtons sections={sections} model={model} post={post} />
          </span>
        </div>
      </div>
      {selectors.filter(isNew).map(({ id, hint, warns }) =>
        hint === undefined ? null : (
          <div class={warns ? 'composer-hint warns' : 'composer-hint'} key={id}>
            <Icon name={warns ? 'warning' : 'info'} /> {hint}
          </div>
        ),
      )}
    </form>
  );
}

/** Send and Stop are one round button in one place. With a text in the box it sends, and a smaller one beside it stops. */
function SendButtons({ sections, model, post }: ComposerProps) {
  const { busy, steers, disabledReason } = sections.composer.value;
  const isEmpty = !model.hasMessage();
  const why = disabledReason ?? (isEmpty ? 'Nothing to send yet' : undefined);
  const stop = (look: string) => (
    <button
      type="button"
      key={look}
      class={`icon-button stop ${look}`}
      aria-label="Stop"
      title="Stop this turn"
      // The second click of a double-click on Send, which was here before, stops nothing.
      onClick={({ detail }) => isFirstClick(detail) && post({ type: 'action', action: 'stop' })}
    >
      <Icon name="debug-stop" />
    </button>
  );
  if (busy && isEmpty) return stop('round');
  return (
    <>
      {busy ? stop('beside') : null}
      {steers === true ? (
        <button
          type="button"
          class="icon-button steer"
          aria-label="Steer"
          title={why ?? 'Send to this turn now (Alt+Enter)'}
          disabled={why !== undefined}
          onClick={() => sendFromButton(model, steers)}
        >
          <Icon name="debug-step-into" />
        </button>
      ) : null}
      <button
        type="submit"
        class="icon-button round send"
        aria-label="Send"
        title={why ?? (busy ? 'Send when this turn ends (Enter)' : 'Send (Enter)')}
        disabled={why !== undefined}
      >
        <Icon name="arrow-up" />
      </button>
    </>
  );
}

/** The button is disabled once its message was sent, and a disabled button loses the focus. */
function sendFromButton(model: ComposerModel, steers = false): void {
  if (model.send({ steers })) model.focus();
}

function MessageBox({ sections, model, placeholder, post }: ComposerProps & { readonly placeholder: string }) {
  const [selected, setSelected] = useState(0);
  const [closedFor, setClosedFor] = useState<string>();
  const [mention, setMention] = useState<Mention>();
  const area = useRef<HTMLDivElement>(null);
  /** When Escape was pressed in the empty box, in the time of events. */
  const escapedAt = useRef(-Infinity);
  /** The paths of the files that were attached here at any time. */
  const attached = useRef(new Set<string>()).current;
  const { chips } = sections.composer.value;
  for (const { title } of chips) attached.add(title.replaceAll('\\', '/'));
  const text = model.text.value;
  const isMention = mention?.text === text;
  const offered =
    closedFor === text ? [] : isMention ? suggestFiles(mention, model, post) : suggestCommands(model, sections.composer.value.commands);
  const index = Math.min(selected, offered.length - 1);

  const onPopupKey = (key: string): boolean => {
    const suggestion = offered[index];
    const option = document.getElementById(commandOptionId(index));
    // An invisible option cannot be chosen.
    if (suggestion === undefined || option === null || !isSeen(option)) return false;
    if (key === 'ArrowDown' || key === 'ArrowUp') setSelected((index + (key === 'ArrowDown' ? 1 : -1) + offered.length) % offered.length);
    // Enter sends a command that is typed already.
    else if (key === 'Tab' || (key === 'Enter' && suggestion.name !== text)) suggestion.accept();
    else if (key === 'Escape') setClosedFor(text);
    else return false;
    return true;
  };
  const onEscape = (key: string, timeStamp: number): void => {
    const isSecond = key === 'Escape' && timeStamp - escapedAt.current < secondEscapeMs;
    escapedAt.current = key === 'Escape' && !isSecond && text === '' && !sections.composer.value.busy ? timeStamp : -Infinity;
    if (isSecond) post({ type: 'action', action: 'rewind' });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // While an input method composes, Enter and the arrow keys belong to it; older ones report 229.
    if (event.isComposing || event.keyCode === 229) return;
    const plainOrAlt = !event.shiftKey && !event.ctrlKey && !event.metaKey;
    const plain = plainOrAlt && !event.altKey;
    const steers = plainOrAlt && event.altKey && event.key === 'Enter' && sections.composer.value.steers === true;
    const handled = (steers && model.send({ steers })) || (plain && (onPopupKey(event.key) || onPlainKey(event.key, model)));
    if (handled) event.preventDefault();
    else if (!event.repeat) onEscape(plain ? event.key : '', event.timeStamp);
  };
  return (
    <div class="message-box" ref={area}>
      {offered.length === 0 ? null : (
        <Suggestions label={isMention ? 'Files' : 'Commands of the agent'} suggestions={offered} selected={index} anchor={area} />
      )}
      <textarea
        key={model.box.value}
        ref={model.box.value}
        class="message"
        aria-label="Message"
        rows={1}
        dir="auto"
        placeholder={placeholder}
        value={text}
        aria-autocomplete="list"
        aria-controls={offered.length === 0 ? undefined : commandListId}
        aria-activedescendant={offered.length === 0 ? undefined : commandOptionId(index)}
        aria-describedby={sections.composer.value.disabledReason === undefined ? undefined : 'composer-reason'}
        onInput={({ inputType, currentTarget: { value, selectionEnd } }) => {
          // The model has changed it.
          if (value === model.text.value) return;
          const typed = mentionIn(value, selectionEnd);
          setSelected(0);
          model.refused.value = '';
          setMention(typed);
          for (const { id, title } of chips) if (isMentioned(text, title) && !isMentioned(value, title)) post({ type: 'removeChip', id });
          // Undo and redo bring back the file with its mention.
          if (inputType.startsWith('history'))
            for (const path of attached) if (isMentioned(value, path) && !isMentioned(text, path)) post({ type: 'addFile', path });
          model.setText(value);
          if (typed !== undefined) post({ type: 'suggestFiles', typed: typed.typed });
        }}
        onKeyDown={onKeyDown}
        onFocus={() => post({ type: 'composing' })}
        onPaste={(event) => {
          const { clipboardData } = event;
          const pasted = clipboardData?.getData('text/plain') ?? '';
          // A table or a formatted text also comes as a picture.
          if (clipboardData !== null && pasted === '') addFiles(clipboardData.files, model);
          if (pasted.length <= mostPastedChars && pasted.trimEnd().split('\n').length <= mostPastedLines) return;
          event.preventDefault();
          post({ type: 'addText', text: pasted });
        }}
      />
      <button
        type="button"
        class="icon-button add-files"
        aria-label="Add Files"
        title="Add files (@)"
        onClick={() => post({ type: 'action', action: 'addFilesToChat' })}
      >
        <Icon name="attach" />
      </button>
      <div class="composer-cannot" role="status">
        {model.refused}
      </div>
    </div>
  );
}

function suggestCommands(model: ComposerModel, commands: readonly CommandView[]): readonly Suggestion[] {
  return matchCommands(model.text.value, commands).map(({ name, ...command }) => ({
    ...command,
    name: `/${name}`,
    accept: () => model.setText(`/${name} `),
  }));
}

/** The path stays in the text, so that the user can refer to the file. */
function suggestFiles({ typed, start, end }: Mention, model: ComposerModel, post: Post): readonly Suggestion[] {
  // They may still be those for what was typed before.
  const matching = model.suggestedFiles.value.filter((path) => path.toLowerCase().includes(typed.toLowerCase()));
  return matching.map((path) => {
    const folderLength = path.lastIndexOf('/') + 1;
    return {
      name: path.slice(folderLength),
      description: path.slice(0, folderLength),
      accept() {
        model.replace(start, end, `@${path} `);
        post({ type: 'addFile', path });
      },
    };
  });
}

/** Two presses of Escape within this time list the messages, to rewind to one. */
const secondEscapeMs = 600;
/** A longer pasted text is a chip. */
const mostPastedLines = 20;
/** The box gets slow with a long line. */
const mostPastedChars = 5_000;

/** Enter sends; in an empty box, the arrow keys recall earlier prompts. A text that cannot be sent stays. */
function onPlainKey(key: string, model: ComposerModel): boolean {
  if (key === 'Enter') {
    model.send();
    return true;
  }
  if (key === 'ArrowUp') return model.recall(-1);
  return key === 'ArrowDown' && model.recall(1);
}
