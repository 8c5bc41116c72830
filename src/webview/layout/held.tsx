/** Messages on hold: the reason, the messages, and what the user can do. */
import type { HeldView } from '../../contract/view.js';
import type { ComposerModel } from '../composer/composerModel.js';
import type { Post } from '../base/hostLink.js';
import type { Sections } from '../base/store.js';
import { Buttons, Icon } from '../components/components.js';
import { Waiting } from './waiting.js';

interface HeldProps {
  readonly sections: Sections;
  readonly post: Post;
  readonly model: ComposerModel;
}

export function Held({ sections, post, model }: HeldProps) {
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
        <div class="held-why" dir="auto">
          {text}
        </div>
        <Waiting prompts={prompts} name="message" post={post} model={model} />
        <Buttons buttons={buttons} post={post} />
      </div>
    </section>
  );
}
