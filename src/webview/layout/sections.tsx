/** The sections around the conversation: header, banner, empty state, plan, wait, queue. */
import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import type { Action } from '../../contract/actions.js';
import type { AgentState, PlanEntryView } from '../../contract/view.js';
import { countOf } from '../base/formatText.js';
import type { Post } from '../base/hostLink.js';
import type { Sections } from '../base/store.js';
import { Age, AgentIcon, Buttons, CopyButton, Counts, Icon, TimeLeft } from '../components/components.js';
import type { ComposerModel } from '../composer/composerModel.js';
import { Waiting } from './waiting.js';

interface SectionProps {
  readonly sections: Sections;
  readonly post: Post;
}

const stateIcons: Readonly<Record<AgentState, string>> = {
  stopped: 'circle-outline',
  starting: 'loading codicon-modifier-spin',
  reconnecting: 'sync codicon-modifier-spin',
  ready: 'circle-filled',
  busy: 'loading codicon-modifier-spin',
  waiting: 'bell-dot',
  failed: 'error',
};

export function Header({ sections, post }: SectionProps) {
  const { agent, version, model, name, caveat, state, stateText, since } = sections.header.value;
  // The wait or the request itself says more.
  const isSaidBelow = sections.wait.value !== null || sections.prompts.value.length > 0;
  const about = [version === undefined ? agent : `${agent} ${version}`, ...(model === undefined ? [] : [model])].join(' · ');
  return (
    <header class="header">
      <button
        type="button"
        class="icon-button"
        aria-label={`${agent}: choose the agent`}
        title={`${about}: choose the agent`}
        onClick={() => post({ type: 'action', action: 'selectAgent' })}
      >
        <AgentIcon agent={agent} />
      </button>
      <h1 class="header-name" title={`${name ?? agent}\n${about}`} dir="auto">
        {name ?? agent}
      </h1>
      {caveat === undefined ? null : (
        <span class="caveat" title={caveat.title}>
          <Icon name="warning" />
          {caveat.label}
          <span class="sr-only">: {caveat.title}</span>
        </span>
      )}
      <button
        type="button"
        class={`header-part state ${state}`}
        title={`${stateText}: session controls`}
        onClick={() => post({ type: 'action', action: 'sessionControls' })}
      >
        <Icon name={stateIcons[state]} />
        <span class={isSaidBelow ? 'sr-only' : 'state-text'}>
          {stateText}
          {since === undefined || isSaidBelow ? null : <Age since={since} />}
        </span>
      </button>
    </header>
  );
}

export function Banner({ sections, post }: SectionProps) {
  const banner = sections.banner.value;
  /** Another card is open again. */
  const [foldedTitle, setFoldedTitle] = useState<string>();
  if (banner === null) return null;
  const { severity, title, text, command, detail, buttons } = banner;
  const isFolded = foldedTitle === title;
  return (
    <section class={`banner ${severity}`} aria-label={title}>
      <Icon name={severity} />
      <div class={isFolded ? 'banner-text folded' : 'banner-text'}>
        <button type="button" class="banner-title" aria-expanded={!isFolded} onClick={() => setFoldedTitle(isFolded ? undefined : title)}>
          <span dir="auto">{title}</span>
          <Icon name={isFolded ? 'chevron-down' : 'chevron-up'} />
        </button>
        <div class="card-body">
          <div dir="auto">{text}</div>
          {command === undefined ? null : (
            <div class="banner-command">
              <code dir="ltr">{command}</code>
              <CopyButton what="command" text={command} post={post} />
            </div>
          )}
          {detail === undefined ? null : (
            <details class="raw">
              <summary>
                <Icon name="chevron-right" />
                Details
              </summary>
              <pre tabIndex={0} dir="ltr">
                {detail}
              </pre>
            </details>
          )}
        </div>
        <Buttons buttons={buttons} post={post} />
      </div>
    </section>
  );
}

/** Whether the chat has nothing to show but how to begin. */
export function isEmpty({ loaded, itemCount, empty }: Sections): boolean {
  return loaded.value && itemCount.value === 0 && empty.value.title !== '';
}

interface EmptyProps extends SectionProps {
  readonly model: ComposerModel;
  readonly banner: ComponentChild;
}

/** The content of an empty chat. An example fills the composer; the user sends it. */
export function Empty({ sections, post, model, banner }: EmptyProps) {
  const { title, text, examples, recent = [], buttons } = sections.empty.value;
  return (
    <div class="empty">
      {banner}
      <div class="empty-content">
        <h2 class="empty-title">{title}</h2>
        {text === '' ? null : <p>{text}</p>}
        {examples.length === 0 ? null : (
          <ul class="examples" aria-label="Examples">
            {examples.map((example) => (
              <li key={example}>
                <button type="button" class="example" onClick={() => model.edit(example)}>
                  {example}
                </button>
              </li>
            ))}
          </ul>
        )}
        {recent.length === 0 ? null : (
          <div class="recent" role="group" aria-label="Recent conversations">
            <Buttons buttons={recent} post={post} look="text" />
          </div>
        )}
        <Buttons buttons={buttons} post={post} look="secondary" />
      </div>
    </div>
  );
}

const planIcons: Readonly<Record<PlanEntryView['status'], string>> = {
  pending: 'circle-large-outline',
  in_progress: 'circle-large-filled',
  completed: 'pass-filled',
};
const planText: Readonly<Record<PlanEntryView['status'], string>> = { pending: 'to do', in_progress: 'in progress', completed: 'done' };
/** A longer plan is collapsed at first. */
const planOpenEntries = 6;

export function Plans({ sections }: { readonly sections: Sections }) {
  return sections.plans.value.map((plan, index) => <Plan key={index} plan={plan} sections={sections} />);
}

function Plan({ plan, sections }: { readonly plan: readonly PlanEntryView[]; readonly sections: Sections }) {
  const [chosen, setChosen] = useState<boolean>();
  // A prompt needs the space more than the plan does.
  const open = (chosen ?? plan.length <= planOpenEntries) && sections.prompts.value.length === 0;
  const done = plan.filter(({ status }) => status === 'completed').length;
  const current = plan.find(({ status }) => status === 'in_progress') ?? plan.find(({ status }) => status === 'pending');
  return (
    <section class="plan" aria-label="Plan of the agent">
      <button type="button" class="plan-head" aria-expanded={open} onClick={() => setChosen(!open)}>
        <Icon name={open ? 'chevron-down' : 'chevron-right'} />
        <span class="plan-title">Plan</span>
        {open || current === undefined ? null : (
          <span class="plan-current" dir="auto">
            {current.content}
          </span>
        )}
        <span class="plan-progress">
          {done} of {plan.length}
        </span>
      </button>
      <ul class="plan-entries" role="list" aria-label="Plan" hidden={!open}>
        {plan.map(({ content, status, priority }, index) => (
          <li key={index} class={`plan-entry ${status}`} title={`${priority} priority`}>
            <Icon name={planIcons[status]} />
            <span dir="auto">{content}</span>
            <span class="sr-only"> ({planText[status]})</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function Wait({ sections, post }: SectionProps) {
  const wait = sections.wait.value;
  if (wait === null) return null;
  return (
    <div class="wait">
      <span class="wait-text" dir="auto">
        <Icon name="loading codicon-modifier-spin" /> {wait.text}
        {wait.until === undefined ? <Age since={wait.since} /> : <TimeLeft until={wait.until} />}
      </span>
      {wait.changes === undefined ? null : <Counts counts={wait.changes} />}
      <Buttons buttons={wait.buttons} post={post} look="text" />
    </div>
  );
}

const reviewIcons: { readonly [A in Action]?: string } = {
  previousFile: 'chevron-left',
  nextFile: 'chevron-right',
  markReviewed: 'check',
};

/** The changes that the user has not reviewed yet, on one line. */
export function Review({ sections, post }: SectionProps) {
  const review = sections.review.value;
  if (review === null) return null;
  const { text, buttons } = review;
  return (
    <section class="review" aria-label={text}>
      <span class="review-text" title={text}>
        {text}
      </span>
      {buttons.map((button) => {
        const { action, label } = button;
        const icon = reviewIcons[action];
        if (icon === undefined) return <Buttons key={action} buttons={[button]} post={post} look="text" />;
        return (
          <button
            type="button"
            key={action}
            class="icon-button"
            aria-label={label}
            title={label}
            onClick={() => post({ type: 'action', action })}
          >
            <Icon name={icon} />
          </button>
        );
      })}
    </section>
  );
}

/** What agents changed on disk under text that the user has not saved, on one line. */
export function Unsaved({ sections, post }: SectionProps) {
  const unsaved = sections.unsaved.value;
  if (unsaved === null) return null;
  const { text, buttons } = unsaved;
  return (
    <section class="review unsaved" aria-label={text}>
      <Icon name="warning" />
      <span class="review-text">{text}</span>
      <Buttons buttons={buttons} post={post} look="text" />
    </section>
  );
}

export function Queue({ sections, post, model }: SectionProps & { readonly model: ComposerModel }) {
  const queue = sections.queue.value;
  if (queue.length === 0) return null;
  return (
    <section class="queue" aria-label="Queued messages">
      <div class="queue-title">{countOf(queue.length, 'message', 'messages')} queued</div>
      <Waiting prompts={queue} name="queued message" post={post} model={model} />
    </section>
  );
}
