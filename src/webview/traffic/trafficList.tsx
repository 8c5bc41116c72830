/** The rows. Only visible ones are rendered, so that 2,000 rows and a flood of new ones take no more than a screenful. */
import { useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { TrafficRow } from '../../contract/traffic.js';
import { Icon } from '../components/components.js';
import { clockTime, outcomeText, spokenIntro, titleOf } from './trafficText.js';
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
