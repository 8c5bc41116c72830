/** The page: one bundle that shows the whole chat or only the prompts, depending on `data-surface`. */
import './base/strictZod.js';
import { render } from 'preact';
import { effect } from '@preact/signals';
import type { Action } from '../contract/actions.js';
import type { ItemView, PromptView } from '../contract/view.js';
import { surfaceSchema, type Op, type Surface } from '../contract/messages.js';
import { createAnnouncer } from './base/announcer.js';
import { Chat } from './layout/chat.js';
import { listenForDrops } from './composer/adding.js';
import { createComposerModel } from './composer/composerModel.js';
import { el } from './base/dom.js';
import { connectToHost, type HostLink, type Post, reportPageErrors } from './base/hostLink.js';
import { createFileNames } from './markdown/fileNames.js';
import { loadMarkdown } from './markdown/markdownText.js';
import { createWorkspaceImages } from './markdown/workspaceImages.js';
import { listenForLinks } from './markdown/linkClicks.js';
import { openPageMemory } from './base/pageState.js';
import { createPromptsModel, loadForms, Prompts } from './prompts/prompts.js';
import { watchPresses } from './prompts/presses.js';
import { forgetTyping, watchTyping } from './base/typing.js';
import { applyOp, applySnapshot, createSections } from './base/store.js';
import { openOnFindKey } from './transcript/findBox.js';
import { keepReadingPlace, stickToEnd } from './transcript/readingPlace.js';
import { loadMessageEdit } from './transcript/messageItems.js';
import { containsMarkdown } from './transcript/renderItem.js';
import { Transcript } from './transcript/transcript.js';
import { turnEndsIn, turnEndText } from './transcript/noticeItems.js';

/** The actions that send something. */
const sendingActions: ReadonlySet<Action> = new Set(['retry', 'resendInterrupted', 'sendHeld']);

const link = connectToHost();
reportPageErrors((message) => link.post({ type: 'pageError', message }));
startPage(link, surfaceSchema.parse(document.body.dataset['surface']));

function startPage(host: HostLink, surface: Surface): void {
  /** A user who sends a message wants to see the result, wherever the conversation was scrolled to. */
  const post: Post = (message) => {
    if (message.type === 'send' || message.type === 'sendFrom') forgetTyping();
    if (message.type === 'send' || (message.type === 'action' && sendingActions.has(message.action))) reading.toEnd();
    host.post(message);
  };
  const sections = createSections();
  const memory = openPageMemory(host);
  const prompts = createPromptsModel();
  const announcer = createAnnouncer();
  const scroller = el('div', { class: 'scroller', role: 'log', 'aria-label': 'Conversation', 'aria-live': 'off', tabindex: '0' });
  const fileNames = createFileNames((names) => post({ type: 'lookUp', names }));
  const images = createWorkspaceImages((path) => post({ type: 'loadImage', path }));
  const transcript = new Transcript(
    {
      post,
      fileNames,
      images,
      memory,
      agentName: () => sections.header.value.agent,
      atEnd: () => stick.atEnd.value,
      follow: () => stick.follow(),
    },
    scroller,
  );
  scroller.append(transcript.content);
  const stick = stickToEnd(scroller, transcript.content);
  const composer = createComposerModel({ post, memory, sections, items: () => transcript.views(), showPicture: images.load });
  listenForDrops(composer, post);
  const promptList = <Prompts sections={sections} model={prompts} post={post} memory={memory} surface={surface} composer={composer} />;
  const root = el('div', { class: `page ${surface}` });
  document.body.append(root, announcer.element);
  render(
    surface === 'prompts' ? (
      <main class="prompts-page">{promptList}</main>
    ) : (
      <Chat sections={sections} scroller={scroller} stick={stick} composer={composer} prompts={promptList} post={post} />
    ),
    root,
  );
  listenForLinks(root, post);
  watchTyping();
  watchPresses();
  document.addEventListener(
    'selectstart',
    () => void import('./base/copyRich.js').then((chunk) => chunk.copyWithoutColors(), reportError),
    {
      once: true,
    },
  );
  if (surface === 'chat') {
    watchFocus(host.post);
    keepTextOnStop(() => sections.composer.value.busy);
    openOnFindKey(scroller, transcript);
  }
  announcePrompts(sections.prompts, announcer.say);
  announceBanner(sections.banner, announcer.say);

  const reading = keepReadingPlace({ scroller, transcript, stick, memory });
  let ends = new Set<string>();
  /** The item to which the page scrolls when it has it. */
  let wanted: string | undefined;
  const reveal = (): void => {
    if (wanted === undefined || !transcript.goTo({ itemId: wanted, offset: 0 })) return;
    stick.release();
    wanted = undefined;
  };

  /** The message whose edit goes on when the page has it. */
  let edited: string | undefined;
  const editAgain = (): void => {
    if (edited === undefined || !transcript.has(edited)) return;
    post({ type: 'action', action: 'editMessage', itemId: edited });
    edited = undefined;
  };

  // This page is coming back, most likely with a conversation in it: loads what that requires while the host answers.
  if (memory.conversation !== undefined) void loadMarkdown();
  host.start({
    prepare(message) {
      const items = message.type === 'snapshot' ? message.view.items : message.type === 'patch' ? itemsIn(message.ops) : [];
      const asked = message.type === 'snapshot' ? message.view.prompts : message.type === 'patch' ? promptsIn(message.ops) : [];
      const loads = [items.some(containsMarkdown) ? loadMarkdown() : undefined, loadForms(asked)].filter((one) => one !== undefined);
      return loads.length === 0 ? undefined : Promise.all(loads).then(() => undefined);
    },
    leave() {
      announcer.say('');
      wanted = undefined;
      reading.keep();
      composer.leave();
    },
    snapshot(view, draft, conversation) {
      returnFocusAfter(document.activeElement);
      memory.enter(conversation);
      fileNames.forget();
      images.forget();
      applySnapshot(sections, transcript, view);
      ends = turnEndsIn(view.items);
      if (draft !== undefined) composer.restore(draft);
      forgetAnswers();
      reading.restore();
      reveal();
      edited = memory.state.edit?.itemId;
      editAgain();
    },
    patch(ops: readonly Op[]) {
      returnFocusAfter(document.activeElement);
      const before = transcript.count;
      for (const op of ops) {
        if (op.op === 'composer') composer.noteMode(op.composer);
        applyOp(sections, transcript, op);
      }
      stick.added(Math.max(0, transcript.count - before));
      reading.restoreAwaited();
      reveal();
      editAgain();
      composer.confirm();
      // Another conversation begins.
      if (transcript.count === 0) stick.toEnd();
      const spoken = turnEndText(ops, () => transcript.drawn, ends);
      if (spoken !== undefined) announcer.say(spoken);
      for (const ended of turnEndsIn(itemsIn(ops))) ends.add(ended);
    },
    focus: (target) => (target === 'prompt' ? prompts.focus() : composer.focus()),
    reveal(itemId) {
      wanted = itemId;
      reveal();
    },
    follow: () => reading.toEnd(),
    editMessage({ itemId, restore }) {
      const { conversation } = memory;
      void loadMessageEdit().then(() => {
        if (memory.conversation !== conversation) return;
        // It grows, which must not move it out of sight.
        stick.release();
        transcript.edit(itemId, restore);
      });
    },
    returnText: (text, promptId) => composer.takeBack(text, promptId),
    draft: (text) => composer.adopt(text),
    files: (found) => fileNames.found(found),
    suggestedFiles: (paths) => (composer.suggestedFiles.value = paths),
    image: (path, data) => images.loaded(path, data),
  });

  /**
   * If a button or a card that had the keyboard focus disappears, such as that of a removed message, the composer gets the focus instead of
   * the top of the page. A conversation that is being read moves nothing.
   */
  function returnFocusAfter(focused: Element | null): void {
    if (!document.hasFocus() || scroller.contains(focused)) return;
    // When the sections were drawn, and the next request could take the focus.
    setTimeout(() => {
      if (focused?.isConnected === false && document.activeElement === document.body) composer.focus();
    });
  }

  /** Removes the drafts of prompts that no longer exist. */
  function forgetAnswers(): void {
    const open = new Set(sections.prompts.value.map(({ id }) => id));
    memory.change({ forms: Object.fromEntries(Object.entries(memory.state.forms ?? {}).filter(([id]) => open.has(id))) });
  }
}

function promptsIn(ops: readonly Op[]): readonly PromptView[] {
  return ops.flatMap((op) => (op.op === 'prompts' ? op.prompts : []));
}

function itemsIn(ops: readonly Op[]): readonly ItemView[] {
  return ops.flatMap((op) => (op.op === 'item' ? [op.item] : []));
}

/** Reports the focus, for the shortcuts of the editor that apply to the chat. */
function watchFocus(post: Post): void {
  const tell = (): void => post({ type: 'focused', focused: document.hasFocus() });
  window.addEventListener('focus', tell);
  window.addEventListener('blur', tell);
  if (document.hasFocus()) tell();
}

function announcePrompts(prompts: ReturnType<typeof createSections>['prompts'], say: (text: string) => void): void {
  const known = new Set<string>();
  effect(() => {
    for (const { id, agent, title } of prompts.value) {
      if (!known.has(id)) say(`${agent} needs your input: ${title}`);
      known.add(id);
    }
  });
}

/** Announces what prevents the conversation from continuing. */
function announceBanner(banner: ReturnType<typeof createSections>['banner'], say: (text: string) => void): void {
  let known: string | undefined;
  effect(() => {
    const card = banner.value;
    const now = card === null || card.severity === 'info' ? undefined : `${card.title}. ${card.text}`;
    if (now !== undefined && now !== known) say(now);
    known = now;
  });
}

/**
 * Keeps what the user typed when *Stop Turn* is chosen by its keys on Windows, Alt+Backspace, with which Chromium undoes in a text box. The
 * editor gets the keys either way.
 * @param canStop whether the keys apply: without a turn to stop, they still undo
 */
function keepTextOnStop(canStop: () => boolean): void {
  if (!navigator.userAgent.includes('Windows')) return;
  let stops = false;
  window.addEventListener('keydown', (event) => {
    if (event.key !== 'Backspace' || !event.altKey || event.shiftKey || event.ctrlKey || event.metaKey) return;
    // The turn may end before the keys are released, and what they repeat is no wish to undo.
    if (!event.repeat) stops = canStop();
    if (stops) event.preventDefault();
  });
}
