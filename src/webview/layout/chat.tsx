/** The chat: header, conversation, and below it whatever needs the user's input. */
import type { ComponentChild } from 'preact';
import type { HeldView } from '../../contract/view.js';
import type { Post } from '../base/hostLink.js';
import type { Sections } from '../base/store.js';
import { Buttons, Icon } from '../components/components.js';
import { Composer } from '../composer/composer.js';
import type { ComposerModel } from '../composer/composerModel.js';
import type { StickToEnd } from '../transcript/readingPlace.js';
import { Banner, Empty, Header, isEmpty, Plans, Queue, Review, Unsaved, Wait } from './sections.js';
import { Waiting } from './waiting.js';

interface ChatProps {
  readonly sections: Sections;
  /** Contains the transcript, which is rendered without the framework. */
  readonly scroller: HTMLElement;
  readonly stick: StickToEnd;
  readonly composer: ComposerModel;
  readonly prompts: ComponentChild;
  readonly post: Post;
}

export function Chat({ sections, scroller, stick, composer, prompts, post }: ChatProps) {
  const banner = <Banner sections={sections} post={post} />;
  // In an empty chat, both scroll as one.
  const isBelow = isEmpty(sections);
  return (
    <>
      <Header sections={sections} post={post} />
      {isBelow ? null : banner}
      <main class="conversation">
        {isBelow ? <Empty sections={sections} post={post} model={composer} banner={banner} /> : null}
        <div
          class="scroller-host"
          ref={(host) => {
            if (scroller.parentElement !== host) host?.append(scroller);
          }}
        />
        <JumpToLatest stick={stick} scroller={scroller} />
      </main>
      <div class="dock">
        <Plans sections={sections} />
        <Unsaved sections={sections} post={post} />
        <Review sections={sections} post={post} />
        {prompts}
        <Wait sections={sections} post={post} />
        <Queue sections={sections} post={post} model={composer} />
        <Held sections={sections} post={post} model={composer} />
      </div>
      <Composer sections={sections} model={composer} post={post} />
    </>
  );
}

function JumpToLatest({ stick, scroller }: Pick<ChatProps, 'stick' | 'scroller'>) {
  if (stick.atEnd.value) return null;
  const missed = stick.missed.value;
  const label = missed === 0 ? 'Jump to latest' : `Jump to latest (${missed} new)`;
  return (
    <div class="jump-room">
      <button
        type="button"
        class="jump"
        aria-label={label}
        title={label}
        onClick={() => {
          stick.toEnd();
          // The button disappears.
          scroller.focus();
        }}
      >
        <Icon name="arrow-down" />
        {missed === 0 ? null : <span class="jump-count">{missed > 99 ? '99+' : missed}</span>}
      </button>
    </div>
  );
}

/** Messages on hold: the reason, the messages, and what the user can do. */
interface HeldProps {
  readonly sections: Sections;
  readonly post: Post;
  readonly model: ComposerModel;
}

function Held({ sections, post, model }: HeldProps) {
  return (
    <>
      {sections.held.value.map((held, index) => (
        <HeldCard key={index} held={held} post={post} model={model} />
      ))}
    </>
  );
}

function HeldCard({ held: { title, text, prompts, buttons }, post, model }: Omit<HeldProps, 'sections'> & { readonly held: HeldView }) {
  return (
    <section class="held" aria-label={title}>
      <Icon name="clockface" />
      <div class="held-text">
        <div class="held-title" dir="auto">
          {title}
        </div>
        <div class="card-body">
          <div class="held-why" dir="auto">
            {text}
          </div>
          <Waiting prompts={prompts} name="message" post={post} model={model} />
        </div>
        <Buttons buttons={buttons} post={post} />
      </div>
    </section>
  );
}
