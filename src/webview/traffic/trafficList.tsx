/** The rows, and the details of the chosen one. Only visible ones are rendered, so that 2,000 rows and a flood of new ones take no more than a screenful. */
import { useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { TrafficOutcome, TrafficRow } from '../../contract/traffic.js';
import { Icon } from '../components/components.js';
import type { TrafficStore } from './trafficStore.js';

/** As in traffic.css. */
const rowHeight = 22;
/** Rows that are rendered beyond both edges, so that slight scrolling shows no empty space. */
const overscan = 8;

const icons: Readonly<Record<Exclude<TrafficRow['kind'], 'request'>, string>> = {
  response: 'reply',
  notification: 'bell',
  other: 'question',
  noise: 'warning',
  stderr: 'output',
  process: 'server-process',
  gap: 'ellipsis',
};

function iconOf({ kind, direction, outcome }: TrafficRow): string {
  if (kind === 'request') return direction === 'sent' ? 'arrow-right' : 'arrow-left';
  return outcome === 'error' ? 'error' : icons[kind];
}

interface Props {
  readonly store: TrafficStore;
  readonly select: (key: number) => void;
  readonly copy: (keys: readonly number[]) => void;
}

export function TrafficList({ store, select, copy }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const height = useSignal(600);
  /** Follows the newest row until the user scrolls away from it. */
  const following = useRef(true);

  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => {
      const { scrollTop, clientHeight } = element;
      const selected = store.shown.value.findIndex(({ key }) => key === store.selectedKey.value);
      const wasInView = selected * rowHeight >= scrollTop && selected * rowHeight < scrollTop + height.value;
      height.value = clientHeight;
      // The message of the row that was just selected must not cover it.
      if (selected >= 0 && wasInView) bringIntoView(selected);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useSignalEffect(() => {
    const count = store.shown.value.length;
    const element = scroller.current;
    if (element !== null && following.current) requestAnimationFrame(() => (element.scrollTop = count * rowHeight));
  });
  const onScroll = (): void => {
    const element = scroller.current;
    if (element === null) return;
    top.value = element.scrollTop;
    following.current = element.scrollTop + element.clientHeight >= element.scrollHeight - rowHeight;
  };
  const bringIntoView = (index: number): void => {
    const element = scroller.current;
    if (element === null) return;
    if (index * rowHeight < element.scrollTop) element.scrollTop = index * rowHeight;
    else if ((index + 1) * rowHeight > element.scrollTop + element.clientHeight)
      element.scrollTop = (index + 1) * rowHeight - element.clientHeight;
  };
  const go = (index: number): void => {
    const rows = store.shown.value;
    const row = rows[Math.max(0, Math.min(rows.length - 1, index))];
    if (row === undefined) return;
    select(row.key);
    bringIntoView(rows.indexOf(row));
  };
  /** If the filter hides the row, it is only selected. */
  const goTo = ({ key }: TrafficRow): void => {
    const index = store.shown.value.findIndex((row) => row.key === key);
    if (index === -1) select(key);
    else go(index);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const rows = store.shown.value;
    const current = rows.findIndex(({ key }) => key === store.selectedKey.value);
    const page = Math.max(1, Math.floor(height.value / rowHeight) - 1);
    const targets: Readonly<Record<string, number>> = {
      ArrowDown: current + 1,
      ArrowUp: current === -1 ? rows.length - 1 : current - 1,
      Home: 0,
      End: rows.length - 1,
      PageDown: current + page,
      PageUp: current - page,
    };
    const target = targets[event.key];
    const partner = store.partner.value;
    if (target !== undefined) go(target);
    else if (event.key === 'Enter' && partner !== undefined) goTo(partner);
    else if (event.key === 'c' && (event.ctrlKey || event.metaKey) && store.selectedKey.value !== undefined)
      copy([store.selectedKey.value]);
    else return;
    event.preventDefault();
  };

  const rows = store.shown.value;
  const first = Math.max(0, Math.floor(top.value / rowHeight) - overscan);
  const last = Math.min(rows.length, Math.ceil((top.value + height.value) / rowHeight) + overscan);
  const selectedKey = store.selectedKey.value;
  const partner = store.selected.value?.partner;
  const isDrawn = rows.slice(first, last).some(({ key }) => key === selectedKey);
  return (
    <div
      class="traffic-list"
      ref={scroller}
      tabIndex={0}
      role="listbox"
      aria-label="Messages"
      onScroll={onScroll}
      onKeyDown={onKeyDown}
      {...(isDrawn ? { 'aria-activedescendant': `row-${selectedKey}` } : {})}
    >
      <div
        class="traffic-rows"
        role="presentation"
        ref={(element) => void (element !== null && (element.style.blockSize = `${rows.length * rowHeight}px`))}
      >
        {rows.slice(first, last).map((row, index) => (
          <Row
            key={row.key}
            row={row}
            index={first + index}
            total={rows.length}
            selected={row.key === selectedKey}
            partner={row.key === partner}
            onSelect={() => {
              select(row.key);
              scroller.current?.focus();
            }}
          />
        ))}
      </div>
    </div>
  );
}

interface RowProps {
  readonly row: TrafficRow;
  readonly index: number;
  readonly total: number;
  readonly selected: boolean;
  /** The other message of the selected pair. */
  readonly partner: boolean;
  readonly onSelect: () => void;
}

function Row({ row, index, total, selected, partner, onSelect }: RowProps) {
  const classes = ['traffic-row', row.kind, row.direction, row.outcome ?? '', selected ? 'selected' : '', partner ? 'partner' : '']
    .filter((name) => name !== '')
    .join(' ');
  const outcome = outcomeText(row);
  return (
    <div
      id={`row-${row.key}`}
      class={classes}
      role="option"
      aria-selected={selected}
      aria-setsize={total}
      aria-posinset={index + 1}
      onClick={onSelect}
      ref={(element) => void (element !== null && (element.style.transform = `translateY(${index * rowHeight}px)`))}
    >
      <span class="sr-only">{spokenIntro(row)}</span>
      <span class="traffic-time">{clockTime(row.at)}</span>
      <span class="traffic-way">
        <Icon name={iconOf(row)} />
      </span>
      <span class="traffic-title">{titleOf(row)}</span>
      <span class="traffic-text" dir="auto">
        {row.text}
      </span>
      {outcome === '' ? null : <span class="traffic-outcome">{outcome}</span>}
    </div>
  );
}

// The texts of a row, for users who see it and for users of screen readers.

const kindText: Readonly<Record<TrafficRow['kind'], string>> = {
  request: 'Request',
  response: 'Response',
  notification: 'Notification',
  other: 'Unknown message',
  noise: 'Non-protocol output',
  stderr: 'stderr',
  process: 'Process',
  gap: 'Gap',
};

const outcomeLabels: Readonly<Record<TrafficOutcome, string>> = { ok: 'ok', error: 'error', abandoned: 'abandoned', lost: 'lost' };

/** `18:05:01.042`, in the local time zone. */
function clockTime(at: number): string {
  const date = new Date(at);
  const digits = (value: number, length: number): string => String(value).padStart(length, '0');
  return `${digits(date.getHours(), 2)}:${digits(date.getMinutes(), 2)}:${digits(date.getSeconds(), 2)}.${digits(date.getMilliseconds(), 3)}`;
}

/** "3 ms", "1.2 s", "2 min". */
function shortDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 120_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`;
}

function sizeText(bytes: number): string {
  return bytes < 1024 ? `${bytes} B` : bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

/** Returns what precedes the text: the method or the kind of the row. */
function titleOf({ kind, method }: TrafficRow): string {
  return method ?? kindText[kind];
}

/** Returns "ok · 12 ms", "waiting"; empty if there is nothing to say. */
function outcomeText({ kind, outcome, durationMs }: TrafficRow): string {
  if (outcome === undefined) return kind === 'request' ? 'waiting' : '';
  return durationMs === undefined
    ? outcomeLabels[outcome]
    : `${outcome === 'ok' ? '' : `${outcomeLabels[outcome]} · `}${shortDuration(durationMs)}`;
}

/** Returns what the icon and the weight show: "Request to agentao, id 3". */
function spokenIntro({ kind, direction, agent, id }: TrafficRow): string {
  const intro = `${kindText[kind]} ${direction === 'sent' ? 'to' : 'from'} ${agent}`;
  return id === undefined ? intro : `${intro}, id ${id}`;
}

// The selected message below the list, complete.

interface DetailProps {
  readonly store: TrafficStore;
  readonly select: (key: number | undefined) => void;
  readonly copy: (keys: readonly number[]) => void;
}

export function TrafficDetail({ store, select, copy }: DetailProps) {
  const row = store.selected.value;
  if (row === undefined) return null;
  const detail = store.detail.value;
  const partner = store.partner.value;
  return (
    <section class="traffic-detail" aria-label="Message">
      <div class="traffic-detail-head">
        <span class="traffic-detail-title">{titleOf(row)}</span>
        {partner === undefined ? null : (
          <button type="button" class="text-button" onClick={() => select(partner.key)}>
            {row.kind === 'request' ? 'Show Response' : 'Show Request'}
          </button>
        )}
        <button type="button" class="icon-button" aria-label="Copy Message" title="Copy Message" onClick={() => copy([row.key])}>
          <Icon name="copy" />
        </button>
        <button type="button" class="icon-button" aria-label="Close Message" title="Close" onClick={() => select(undefined)}>
          <Icon name="close" />
        </button>
      </div>
      <div class="traffic-facts">{factsOf(row, detail?.cut === true)}</div>
      <pre class="traffic-json" tabIndex={0} aria-label="Contents">
        {detail?.text ?? row.text}
      </pre>
    </section>
  );
}

function factsOf(row: TrafficRow, cut: boolean): string {
  const facts = [row.direction === 'sent' ? `to ${row.agent}` : `from ${row.agent}`, clockTime(row.at)];
  if (row.id !== undefined) facts.push(`id ${row.id}`);
  if (row.bytes > 0) facts.push(sizeText(row.bytes));
  const outcome = outcomeText(row);
  if (outcome !== '') facts.push(outcome);
  if (row.session !== undefined && row.session !== '') facts.push(row.session);
  if (cut) facts.push('truncated');
  return facts.join(' · ');
}
