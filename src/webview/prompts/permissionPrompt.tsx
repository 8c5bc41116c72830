/**
 * The agent asks for permission: everything that is needed to decide, then the agent's own options, each preceded by the host's text for
 * it.
 */
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { PermissionPromptView, RequestPartView } from '../../contract/view.js';
import type { DiffView, LocationView } from '../../contract/viewParts.js';
import { revealOnOneLine } from '../../core/base/hiddenText.js';
import { toolIcons } from '../base/dom.js';
import { CopyButton, Icon } from '../components/components.js';
import { renderDiff } from '../components/diffView.js';
import type { Post } from '../base/hostLink.js';
import type { PageMemory } from '../base/pageState.js';
import { InsteadWords, PermissionOptions, takesWords } from './permissionOptions.js';
import { PromptDialog, type PromptFrame, useDecision } from './promptDialog.js';

interface PermissionPromptProps {
  readonly prompt: PermissionPromptView;
  readonly frame: PromptFrame;
  readonly post: Post;
  readonly memory: PageMemory;
}

export function PermissionPrompt({ prompt, frame, post, memory }: PermissionPromptProps) {
  const { ready, act, decide, dismiss } = useDecision(prompt.id, post);
  const decision = { promptId: prompt.id, ...(prompt.drawn === undefined ? {} : { drawn: prompt.drawn }) };
  const body = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (body.current !== null) showFirstChange(body.current);
  }, []);
  const select = (option: PermissionPromptView['options'][number] | undefined): void => {
    if (option !== undefined) decide({ type: 'select', ...decision, optionId: option.optionId });
  };
  const onDigit = (index: number): void => select(prompt.options.find(({ digit }) => digit === index + 1));
  return (
    <PromptDialog
      prompt={prompt}
      frame={frame}
      icon={prompt.toolKind === 'other' ? 'shield' : toolIcons[prompt.toolKind]}
      armed={ready}
      onDismiss={dismiss}
      onDigit={onDigit}
    >
      <div ref={body} class="prompt-body" role="group" aria-label="Details" tabIndex={0}>
        <Subject prompt={prompt} post={post} />
      </div>
      {prompt.risks.length === 0 ? null : (
        <div class="prompt-risks" dir="auto" title={prompt.risks.join(' · ')}>
          <Icon name="warning" /> {prompt.risks.join(' · ')}
        </div>
      )}
      <PermissionOptions prompt={prompt} ready={ready} select={select} dismiss={dismiss}>
        {takesWords(prompt) ? (
          <InsteadWords
            promptId={prompt.id}
            agent={prompt.agent}
            memory={memory}
            reject={(feedback) => decide({ type: 'dismiss', promptId: prompt.id, feedback })}
          />
        ) : null}
      </PermissionOptions>
      {prompt.unsaved === undefined ? null : (
        <Unsaved
          unsaved={prompt.unsaved}
          ready={ready}
          // The file may not be saved, so this does not decide the request yet.
          saveAndAllow={(optionId) => act({ type: 'saveAndSelect', ...decision, optionId })}
          compare={(path) => post({ type: 'compareWithSaved', promptId: prompt.id, path })}
        />
      )}
    </PromptDialog>
  );
}

interface UnsavedProps {
  readonly unsaved: NonNullable<PermissionPromptView['unsaved']>;
  readonly ready: boolean;
  readonly saveAndAllow: (optionId: string) => void;
  readonly compare: (path: string) => void;
}

/** What the host offers for files with unsaved changes. The option of the agent that allows the request anyway is above. */
function Unsaved({ unsaved: { text, files, allows }, ready, saveAndAllow, compare }: UnsavedProps) {
  return (
    <div class="prompt-unsaved" role="group" aria-label="Unsaved changes">
      <span class="prompt-unsaved-text" dir="auto" title={text}>
        <Icon name="warning" /> {text}
      </span>
      {files.map(({ path, label }) => (
        <button key={path} type="button" class="text-button" title={`Compare ${label} with what is saved`} onClick={() => compare(path)}>
          {files.length === 1 ? 'Compare' : `Compare ${label}`}
        </button>
      ))}
      {allows === undefined ? null : (
        <button type="button" class="button secondary" disabled={!ready} onClick={() => saveAndAllow(allows)}>
          <Icon name="save" /> Save and Allow
        </button>
      )}
    </div>
  );
}

/** In a low page, only unchanged lines would be in view, or only what is removed. Whatever comes before the change, such as a warning, stays in view instead. */
function showFirstChange(body: HTMLElement): void {
  const change = body.querySelector('.prompt-change:first-child .diff-line:is(.added, .removed)')?.getBoundingClientRect();
  const { top, bottom, height } = body.getBoundingClientRect();
  if (change !== undefined && change.bottom + height / 3 > bottom) body.scrollTop += change.top - top - height / 3;
}

function Subject({ prompt, post }: Omit<PermissionPromptProps, 'frame' | 'memory'>) {
  const { toolTitle, parts, context } = prompt;
  const openDiff = (part: RequestPartView): void =>
    post({ type: 'openDiff', itemId: prompt.id, index: parts.filter(({ type }) => type === 'diff').indexOf(part) });
  return (
    <>
      {toolTitle === undefined ? null : (
        <div class="prompt-tool" dir="auto">
          {toolTitle}
        </div>
      )}
      {parts.map((part, index) => (
        <Part key={index} part={part} openDiff={() => openDiff(part)} post={post} />
      ))}
      {context.length === 0 ? null : (
        <ul class="prompt-context">
          {context.map((fact) => (
            <li key={fact} dir="auto">
              {fact}
            </li>
          ))}
        </ul>
      )}
      <Details prompt={prompt} post={post} />
    </>
  );
}

interface PartProps {
  readonly part: RequestPartView;
  readonly openDiff: () => void;
  readonly post: Post;
}

function Part({ part, openDiff, post }: PartProps) {
  switch (part.type) {
    case 'text':
      return (
        <div class="prompt-part">
          {part.label === undefined ? null : <div class="prompt-label">{part.label}</div>}
          <div class={part.code ? 'prompt-command' : 'prompt-words'}>
            {part.code ? <pre dir="ltr">{part.text}</pre> : <div dir="auto">{part.text}</div>}
            {part.copy === undefined ? null : <CopyButton what={part.copy} text={part.text} post={post} />}
          </div>
        </div>
      );
    case 'value':
      return (
        <div class="prompt-value">
          <span class="prompt-label">{part.label}</span> <code dir="ltr">{part.text}</code>
        </div>
      );
    case 'path':
      return (
        <div class="prompt-locations">
          <Location location={part.location} post={post} />
          {part.to === undefined ? null : (
            <>
              <Icon name="arrow-right" />
              <span class="sr-only">to</span>
              <Location location={part.to} post={post} />
            </>
          )}
        </div>
      );
    case 'diff':
      return <Change diff={part.diff} note={part.note} openDiff={openDiff} post={post} />;
  }
}

function Details({ prompt, post }: Omit<PermissionPromptProps, 'frame' | 'memory'>) {
  const { id, details, rawInput } = prompt;
  if (rawInput === undefined && details.length === 0) return null;
  return (
    <details class="raw">
      <summary>
        <Icon name="chevron-right" />
        Details
      </summary>
      {details.map(({ label, text }, index) => (
        <div class="prompt-value" key={index}>
          <span class="prompt-label">{label}</span> <code>{text}</code>
        </div>
      ))}
      {rawInput === undefined ? null : (
        <>
          <pre tabIndex={0} aria-label="Input as sent" dir="ltr">
            {rawInput}
          </pre>
          <button type="button" class="text-button" onClick={() => post({ type: 'openRaw', id, part: 'input' })}>
            Open in editor
          </button>
          <button type="button" class="text-button" onClick={() => post({ type: 'copy', text: rawInput })}>
            Copy
          </button>
        </>
      )}
    </details>
  );
}

function Location({ location: { path, line, label }, post }: { readonly location: LocationView; readonly post: Post }) {
  return (
    <button
      type="button"
      class="text-button path"
      title={revealOnOneLine(path)}
      onClick={() => post(line === undefined ? { type: 'openLocation', path } : { type: 'openLocation', path, line })}
    >
      {label}
    </button>
  );
}

interface ChangeProps extends Omit<PartProps, 'part'> {
  readonly diff: DiffView;
  readonly note: string | undefined;
}

function Change({ diff, note, openDiff, post }: ChangeProps) {
  return (
    <div class="prompt-change">
      <div class="diff-head">
        <Location location={{ path: diff.path, label: diff.label ?? diff.path }} post={post} />
        {diff.added + diff.removed === 0 ? null : (
          <span class="tool-counts">
            <span class="count-added">+{diff.added}</span> <span class="count-removed">−{diff.removed}</span>
          </span>
        )}
        <button type="button" class="text-button" onClick={openDiff}>
          Review
        </button>
      </div>
      {note === undefined ? null : (
        <div class="prompt-note">
          <Icon name="warning" /> {note}
        </div>
      )}
      <div
        ref={(host) => {
          if (host !== null && host.childElementCount === 0) host.append(renderDiff(diff, true));
        }}
      />
    </div>
  );
}
