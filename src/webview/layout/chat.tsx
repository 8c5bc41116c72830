/** The chat: header, conversation, and below it whatever needs the user's input. */
import type { ComponentChild } from 'preact';
import { Composer } from '../composer/composer.js';
import type { ComposerModel } from '../composer/composerModel.js';
import type { Post } from '../base/hostLink.js';
import type { Sections } from '../base/store.js';
import type { StickToEnd } from '../transcript/stickToEnd.js';
import { Icon } from '../components/components.js';
import { Held } from './held.js';
import { Banner, Empty, Header, isEmpty, Plan, Queue, Wait } from './sections.js';

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
        <Plan sections={sections} />
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
