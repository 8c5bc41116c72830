/** A tool call: one line when it is done, expanded with its live output while it runs. */
import type { ToolItemView } from '../../contract/view.js';
import type { DiffView } from '../../contract/viewParts.js';
import { renderDiff } from '../components/diffView.js';
import { copyButton, el, icon, iconButton, setText, textButton, toolIcons } from '../base/dom.js';
import { onTick } from '../base/ticker.js';
import { countOf, formatDuration } from '../base/formatText.js';
import { copyTo, renderAttachments, type ItemContext, type ItemNode, locationLink } from './itemNode.js';
import { OutputView } from './outputView.js';
import { lineCounts } from './turnChanges.js';

const statusIcons: Readonly<Record<ToolItemView['status'], string>> = {
  pending: 'circle-outline',
  in_progress: 'loading codicon-modifier-spin',
  completed: 'check',
  failed: 'error',
  cancelled: 'circle-slash',
  unreported: 'question',
  rejected: 'circle-slash',
};

export function createToolItem(first: ToolItemView, context: ItemContext): ItemNode<ToolItemView> {
  return new ToolCard(first, context);
}

let lastBodyNumber = 0;

class ToolCard implements ItemNode<ToolItemView> {
  readonly element = el('div', { role: 'group' });
  readonly #context: ItemContext;
  readonly #body = el('div', { class: 'tool-body', id: `tool-body-${++lastBodyNumber}` });
  readonly #kind = icon('tools');
  readonly #verb = el('span', { class: 'tool-verb' });
  readonly #toggle = el(
    'button',
    { type: 'button', class: 'tool-toggle', 'aria-controls': this.#body.id },
    icon('chevron-right'),
    this.#kind,
    this.#verb,
  );
  readonly #target = el('span', { class: 'tool-target' });
  readonly #counts = el('span', { class: 'tool-counts' });
  /** Ends the command that runs. */
  readonly #stop = iconButton('debug-stop', 'Stop command', () => this.#context.post({ type: 'stopCommand', id: this.#view.id }));
  readonly #age = el('span', { class: 'tool-age' });
  readonly #statusIcon = icon('circle-outline');
  readonly #statusText = el('span', { class: 'tool-status-text' });
  readonly #input = el('div', {});
  readonly #changes = el('div', {});
  readonly #more = el('div', {});
  readonly #output: OutputView;
  #view: ToolItemView;
  /** The part of the view that the body shows; undefined while it has never been expanded. */
  #drawn: ToolItemView | undefined;
  /** What the row says after its verb, and where that leads. */
  #drawnTarget = '';
  #open = false;
  /** The user expanded or collapsed it, so it stays that way. */
  #chosen = false;
  #stopTicking: (() => void) | undefined;

  constructor(first: ToolItemView, context: ItemContext) {
    this.#view = first;
    this.#context = context;
    this.#output = new OutputView({
      copy: copyTo(context.post),
      openInEditor: () => context.post({ type: 'openRaw', id: this.#view.id, part: 'output' }),
      openTerminal: () => context.post({ type: 'openTerminal', id: this.#view.id }),
    });
    this.#toggle.addEventListener('click', () => {
      this.#chosen = true;
      this.#setOpen(!this.#open);
    });
    this.#body.append(this.#input, this.#changes, this.#output.element, this.#more);
    this.element.append(
      el(
        'div',
        { class: 'tool-head' },
        this.#toggle,
        this.#target,
        this.#counts,
        el('span', { class: 'tool-status' }, this.#statusText, this.#age, this.#statusIcon),
        this.#stop,
      ),
      this.#body,
    );
    this.update(first);
  }

  update(view: ToolItemView): void {
    const before = this.#view;
    this.#view = view;
    this.#drawHead();
    const running = view.status === 'in_progress' || view.status === 'pending';
    if (running) this.#stopTicking ??= onTick(() => this.#drawAge());
    else this.#stopTicking = void this.#stopTicking?.();
    if (this.#chosen) return this.#setOpen(this.#open);
    // The request shows the same.
    const isAsked = view.waitsSince !== undefined;
    const opens = hasBody(view) && ((view.status === 'in_progress' && !isAsked) || view.status === 'failed' || saysWhyRejected(view));
    const mayFold = isAsked || before.status !== view.status;
    this.#setOpen(opens || (this.#open && (!mayFold || this.#isBeingRead())));
  }

  append(text: string): void {
    this.update({ ...this.#view, output: (this.#view.output ?? '') + text });
  }

  dispose(): void {
    this.#stopTicking?.();
    this.#output.dispose();
  }

  /** Collapsing must not remove what the user is looking at. */
  #isBeingRead(): boolean {
    const selection = document.getSelection();
    const selected = selection !== null && !selection.isCollapsed && selection.containsNode(this.#body, true);
    return !this.#context.atEnd() || selected || this.#body.contains(document.activeElement) || this.#body.matches(':hover');
  }

  #setOpen(open: boolean): void {
    this.#open = open && hasBody(this.#view);
    this.#toggle.setAttribute('aria-expanded', String(this.#open));
    this.element.classList.toggle('open', this.#open);
    this.#body.hidden = !this.#open;
    if (this.#open) this.#drawBody();
  }

  #drawHead(): void {
    const { toolKind, title, verb, status, statusText, terminal, waitsSince } = this.#view;
    this.element.className = `item tool ${status}${this.#open ? ' open' : ''}`;
    this.element.setAttribute('aria-label', `${title} (${statusText})`);
    this.#kind.className = `codicon codicon-${toolIcons[toolKind]}`;
    this.#statusIcon.className = `codicon codicon-${waitsSince === undefined ? statusIcons[status] : 'bell-dot'}`;
    this.#stop.hidden = terminal !== 'running';
    this.#output.terminal.hidden = terminal === undefined;
    setText(this.#verb, verb);
    this.#toggle.title = title;
    this.#toggle.disabled = !hasBody(this.#view);
    setText(this.#statusText, status === 'completed' ? '' : statusText);
    this.#drawTarget();
    this.#drawCounts();
    this.#drawAge();
  }

  #drawTarget(): void {
    const { target, verb, title, locations, input } = this.#view;
    const text = target ?? (title === verb ? '' : title);
    this.#target.classList.toggle('command', input !== undefined && input === target);
    const [location, ...others] = locations;
    const drawn = JSON.stringify([text, location, others.length > 0]);
    if (drawn === this.#drawnTarget) return;
    this.#drawnTarget = drawn;
    const code = el('span', { dir: 'ltr' }, text);
    this.#target.title = text;
    // Cuts a long path at its beginning, because its end says more.
    this.#target.dir = location?.label.startsWith(text) === true ? 'rtl' : '';
    this.#target.replaceChildren(
      ...(text === '' ? [] : [location === undefined || others.length > 0 ? code : locationLink(location, code)]),
    );
  }

  #drawCounts(): void {
    const { diffs } = this.#view;
    if (diffs.length === 0) return this.#counts.replaceChildren();
    const sum = (count: (diff: DiffView) => number): number => diffs.reduce((total, diff) => total + count(diff), 0);
    const [added, removed] = [sum((diff) => diff.added), sum((diff) => diff.removed)];
    const does = diffs.length === 1 ? 'Open diff' : `Show the changes of ${diffs.length} files`;
    const button = textButton('', () => (diffs.length === 1 ? this.#openDiff(0) : this.#toggle.click()), '');
    button.title = `${does}: ${countOf(added, 'line', 'lines')} added, ${removed} removed`;
    button.append(...lineCounts({ added, removed }));
    this.#counts.replaceChildren(button);
  }

  #openDiff(index: number): void {
    this.#context.post({ type: 'openDiff', itemId: this.#view.id, index });
  }

  #drawAge(): void {
    const { status, startedAt, endedAt, waitedMs = 0, waitsSince } = this.#view;
    const running = status === 'in_progress' || status === 'pending';
    const until = running ? (waitsSince ?? Date.now()) : endedAt;
    const duration = (until ?? startedAt) - startedAt - waitedMs;
    setText(this.#age, duration >= 1000 ? formatDuration(duration) : '');
  }

  #drawBody(): void {
    const view = this.#view;
    const drawn = this.#drawn;
    this.#drawn = view;
    if (drawn === undefined || inputOf(drawn) !== inputOf(view)) this.#drawInput(inputOf(view));
    if (drawn === undefined || !areSameChanges(drawn.diffs, view.diffs))
      this.#changes.replaceChildren(...view.diffs.flatMap((diff, index) => this.#renderChange(diff, index)));
    this.#output.element.hidden = view.output === undefined || view.output === '';
    this.#output.set(view.output ?? '');
    if (drawn === undefined || moreOf(drawn) !== moreOf(view)) this.#more.replaceChildren(...this.#renderMore(view));
  }

  #drawInput(input: string | undefined): void {
    this.#input.replaceChildren(...(input === undefined ? [] : [codeText(input, 'Input', this.#context)]));
  }

  #renderChange(diff: DiffView, index: number): HTMLElement[] {
    const head = el(
      'div',
      { class: 'diff-head' },
      locationLink({ path: diff.path, label: diff.label ?? diff.path }, diff.label ?? diff.path),
      el(
        'span',
        { class: 'diff-actions' },
        textButton('Open diff', () => this.#openDiff(index), 'text-button'),
        copyButton('Copy new text', () => diff.newText, copyTo(this.#context.post)),
      ),
    );
    return [head, renderDiff(diff)];
  }

  #renderMore(view: ToolItemView): HTMLElement[] {
    const { caveat, locations, attachments, rawInput, rawOutput } = view;
    return [
      ...(caveat === undefined ? [] : [el('div', { class: 'tool-caveat', dir: 'auto' }, icon('info'), el('span', {}, caveat))]),
      ...(locations.length < 2
        ? []
        : [el('div', { class: 'locations' }, ...locations.map((location) => locationLink(location, location.label)))]),
      ...renderAttachments(attachments),
      ...this.#renderRaw('Input as sent', rawInput, 'input'),
      ...this.#renderRaw('Output as sent', rawOutput, 'output'),
    ];
  }

  #renderRaw(name: string, text: string | undefined, part: 'input' | 'output'): HTMLElement[] {
    if (text === undefined) return [];
    const open = textButton('Open in editor', () => this.#context.post({ type: 'openRaw', id: this.#view.id, part }), 'text-button');
    return [
      el('details', { class: 'raw as-sent' }, el('summary', {}, icon('chevron-right'), name), codeText(text, name, this.#context), open),
    ];
  }
}

function saysWhyRejected({ status, output = '' }: ToolItemView): boolean {
  return status === 'rejected' && output !== '';
}

function hasBody(view: ToolItemView): boolean {
  const { output, diffs, attachments, rawInput, rawOutput, caveat, locations } = view;
  return (
    Boolean(inputOf(view) ?? output ?? rawInput ?? rawOutput ?? caveat) ||
    diffs.length > 0 ||
    attachments.length > 0 ||
    locations.length > 1
  );
}

function areSameChanges(before: readonly DiffView[], after: readonly DiffView[]): boolean {
  return (
    before.length === after.length &&
    after.every((diff, index) => {
      const other = before[index];
      return (
        other?.path === diff.path && other.oldText === diff.oldText && other.newText === diff.newText && other.firstLine === diff.firstLine
      );
    })
  );
}

/** Leaves out the input if the header contains it, which shows all of it while the card is expanded. */
function inputOf({ input, target }: ToolItemView): string | undefined {
  return input === target ? undefined : input;
}

/** Returns what the lower part of the body shows, to detect changes. */
function moreOf({ caveat, locations, attachments, rawInput, rawOutput }: ToolItemView): string {
  return JSON.stringify([caveat, locations, attachments, rawInput, rawOutput]);
}

function codeText(text: string, name: string, context: ItemContext): HTMLElement {
  return el(
    'div',
    { class: 'tool-code' },
    el('pre', { tabindex: '0', 'aria-label': name, dir: 'ltr' }, text),
    copyButton(`Copy ${name.toLowerCase()}`, () => text, copyTo(context.post)),
  );
}
