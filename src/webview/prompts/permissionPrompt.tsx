/** The agent asks for permission: everything needed to decide, then the agent's own options and nothing else. */
import type { DiffView, LocationView, PermissionPromptView, ToolKindView } from '../../contract/view.js';
import { CopyButton, Icon } from '../components/components.js';
import { renderDiff } from '../components/diffView.js';
import type { Post } from '../base/hostLink.js';
import { DismissLink } from './decisionButtons.js';
import { PromptDialog, type PromptFrame } from './promptDialog.js';
import { useDecision } from './useDecision.js';

interface PermissionPromptProps {
  readonly prompt: PermissionPromptView;
  readonly frame: PromptFrame;
  readonly post: Post;
}

const kindIcons: Readonly<Record<ToolKindView, string>> = {
  read: 'file',
  edit: 'edit',
  delete: 'trash',
  move: 'arrow-right',
  search: 'search',
  execute: 'terminal',
  think: 'lightbulb',
  fetch: 'globe',
  switch_mode: 'settings',
  other: 'shield',
};

export function PermissionPrompt({ prompt, frame, post }: PermissionPromptProps) {
  const { ready, decide, dismiss } = useDecision(prompt.id, post);
  const select = (index: number): void => {
    const option = prompt.options[index];
    if (option !== undefined) decide({ type: 'select', promptId: prompt.id, optionId: option.optionId });
  };
  return (
    <PromptDialog prompt={prompt} frame={frame} icon={kindIcons[prompt.toolKind]} armed={ready} onDismiss={dismiss} onDigit={select}>
      <div class="prompt-body" role="group" aria-label="Details" tabIndex={0}>
        <Subject prompt={prompt} post={post} />
      </div>
      <div class="prompt-options" role="group" aria-label="Options">
        {prompt.options.map(({ optionId, name, allows, always, scope }, index) => (
          <span class="prompt-option" key={optionId}>
            <button
              type="button"
              class="button secondary"
              disabled={!ready}
              aria-describedby={scope === undefined ? undefined : `scope-${index}`}
              onClick={() => select(index)}
            >
              {index < 9 ? <kbd aria-hidden="true">{index + 1}</kbd> : null}
              <Icon name={allows ? (always ? 'check-all' : 'check') : 'circle-slash'} />
              {name}
            </button>
            {scope === undefined ? null : (
              <span class="option-scope" id={`scope-${index}`} dir="auto">
                {scope}
              </span>
            )}
          </span>
        ))}
      </div>
      <DismissLink ready={ready} dismiss={dismiss} rejects={prompt.rejectsWhenDismissed} />
    </PromptDialog>
  );
}

function Subject({ prompt, post }: Omit<PermissionPromptProps, 'frame'>) {
  const { id, toolTitle, command, diffs, locations, context, rawInput } = prompt;
  return (
    <>
      {command === toolTitle ? null : (
        <div class="prompt-tool" dir="auto">
          {toolTitle}
        </div>
      )}
      {command === undefined ? null : (
        <div class="prompt-command">
          <pre dir="ltr">{command}</pre>
          <CopyButton what="command" text={command} post={post} />
        </div>
      )}
      {locations.length === 0 ? null : (
        <div class="prompt-locations">
          {locations.map((location) => (
            <Location key={`${location.path}:${location.line ?? ''}`} location={location} post={post} />
          ))}
        </div>
      )}
      {diffs.map((diff, index) => (
        <Change key={index} diff={diff} post={post} />
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
      {rawInput === undefined ? null : (
        <details class="raw">
          <summary>
            <Icon name="chevron-right" />
            Details
          </summary>
          <pre tabIndex={0} aria-label="Input as sent" dir="ltr">
            {rawInput}
          </pre>
          <button type="button" class="text-button" onClick={() => post({ type: 'openRaw', id, part: 'input' })}>
            Open in editor
          </button>
          <button type="button" class="text-button" onClick={() => post({ type: 'copy', text: rawInput })}>
            Copy
          </button>
        </details>
      )}
    </>
  );
}

function Location({ location: { path, line, label }, post }: { readonly location: LocationView; readonly post: Post }) {
  return (
    <button
      type="button"
      class="text-button path"
      title={path}
      onClick={() => post(line === undefined ? { type: 'openLocation', path } : { type: 'openLocation', path, line })}
    >
      {label}
    </button>
  );
}

function Change({ diff, post }: { readonly diff: DiffView; readonly post: Post }) {
  return (
    <div class="prompt-change">
      <div class="diff-head">
        <Location location={{ path: diff.path, label: diff.label ?? diff.path }} post={post} />
        <span class="tool-counts">
          <span class="count-added">+{diff.added}</span> <span class="count-removed">−{diff.removed}</span>
        </span>
      </div>
      <div
        ref={(host) => {
          if (host !== null && host.childElementCount === 0) host.append(renderDiff(diff, true));
        }}
      />
    </div>
  );
}
