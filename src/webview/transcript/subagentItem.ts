/** A sub-agent: one line, and below it, once it is expanded, what it was told and what it says and does. */
import type { SubagentItemView } from '../../contract/view.js';
import { el, icon, iconButton, setText } from '../base/dom.js';
import { countOf, formatDuration } from '../base/formatText.js';
import { onTick } from '../base/ticker.js';
import type { ItemContext, ItemNode } from './itemNode.js';

const stateIcons: Readonly<Record<SubagentItemView['state'], string>> = {
  working: 'loading codicon-modifier-spin',
  waiting: 'bell-dot',
  done: 'check',
  stopped: 'circle-slash',
  failed: 'error',
  unknown: 'circle-outline',
};

export function createSubagentItem(first: SubagentItemView, { post }: ItemContext): ItemNode<SubagentItemView> {
  let view = first;
  let stopTicking: (() => void) | undefined;
  const name = el('span', { class: 'subagent-name' });
  const facts = el('span', { class: 'subagent-facts' });
  const state = icon('circle-outline');
  const about = el('div', { class: 'subagent-about' });
  const task = el('div', { class: 'subagent-task', dir: 'auto' });
  const note = el('div', { class: 'subagent-note' });
  const inner = el('div', { class: 'subagent-items' });
  const stop = iconButton('debug-stop', 'Stop Sub-agent', () => post({ type: 'action', action: 'stopSubagent', itemId: view.id }));
  stop.classList.add('subagent-stop');
  const summary = el('summary', {}, icon('chevron-right'), icon('type-hierarchy-sub'), el('span', {}, 'Sub-agent'), name, facts, state);
  const details = el('details', {}, summary, el('div', { class: 'subagent-body' }, about, task, inner, note));
  const element = el('div', { role: 'group' }, details, stop);

  const drawFacts = (): void => {
    const { state: now, stateText, workedMs, worksSince, tools } = view;
    const ms = workedMs + (worksSince === undefined ? 0 : Math.max(0, Date.now() - worksSince));
    // Whether it works is in its icon, and its age says so.
    const shown = [
      now === 'working' ? '' : stateText,
      ms >= 1000 ? formatDuration(ms) : '',
      tools === 0 ? '' : countOf(tools, 'tool', 'tools'),
    ];
    setText(facts, shown.filter((text) => text !== '').join(' · '));
  };
  const update = (next: SubagentItemView): void => {
    view = next;
    element.className = `item subagent ${next.state}`;
    const title = next.name === '' ? 'Sub-agent' : `Sub-agent: ${next.name}`;
    element.setAttribute('aria-label', next.stateText === '' ? title : `${title} (${next.stateText})`);
    setText(name, next.name);
    summary.title = next.description ?? title;
    state.className = `codicon codicon-${stateIcons[next.state]}`;
    setText(about, next.description ?? '');
    setText(task, next.task ?? '');
    setText(note, next.error ?? next.note ?? '');
    stop.hidden = !next.canStop;
    drawFacts();
    if (next.worksSince !== undefined) stopTicking ??= onTick(drawFacts);
    else stopTicking = void stopTicking?.();
  };
  update(first);
  return { element, inner, update, dispose: () => stopTicking?.() };
}
