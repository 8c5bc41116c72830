/** The page of the traffic inspector. */
import './base/strictZod.js';
import { effect, useSignalEffect } from '@preact/signals';
import { render } from 'preact';
import * as z from 'zod/mini';
import { trafficHostMessageSchema, type TrafficHostMessage, type TrafficPageMessage } from '../contract/traffic.js';
import { createAnnouncer } from './base/announcer.js';
import { el } from './base/dom.js';
import { connectRaw, reportPageErrors } from './base/hostLink.js';
import { TrafficDetail, TrafficList } from './traffic/trafficList.js';
import { createTrafficStore, filterSchema, noFilter, type TrafficStore } from './traffic/trafficStore.js';
import { TrafficToolbar } from './traffic/trafficToolbar.js';

/** What is saved while the page is hidden. */
const stateSchema = z.object({
  filter: filterSchema,
  /** The selected row. After a reload of the window, another row may have its key, but not at the same time. */
  selected: z.optional(z.object({ key: z.number(), at: z.number() })),
});

const link = connectRaw<TrafficPageMessage>();
const report = (message: string): void => link.post({ type: 'pageError', message });
reportPageErrors(report);
const kept = stateSchema.safeParse(link.readState());
const store = createTrafficStore(kept.success ? kept.data.filter : noFilter);
/** The row to select when the rows are there. */
let toSelect = kept.data?.selected;
const announcer = createAnnouncer();
const root = el('div', { class: 'page traffic' });
document.body.append(root, announcer.element);
effect(() => {
  const { key, at } = store.selected.value ?? toSelect ?? {};
  link.writeState({ filter: store.filter.value, ...(key === undefined ? {} : { selected: { key, at } }) });
});
render(<Page store={store} />, root);
link.listen((data) => {
  const parsed = trafficHostMessageSchema.safeParse(data);
  if (parsed.success) receive(parsed.data);
  else report(`message not understood: ${parsed.error.issues[0]?.path.join('.') ?? ''} ${parsed.error.issues[0]?.message ?? ''}`);
});
link.post({ type: 'ready' });

function receive(message: TrafficHostMessage): void {
  switch (message.type) {
    case 'all':
      store.replace(message.rows);
      return selectAgain();
    case 'more':
      return store.append(message.rows, message.changes);
    case 'detail':
      if (message.key === store.selectedKey.value) store.detail.value = { text: message.text, cut: message.cut };
  }
}

function select(key: number | undefined): void {
  if (key === store.selectedKey.value) return;
  store.selectedKey.value = key;
  store.detail.value = undefined;
  if (key !== undefined) link.post({ type: 'detail', key });
}

function selectAgain(): void {
  const row = store.shown.value.find(({ key, at }) => key === toSelect?.key && at === toSelect.at);
  toSelect = undefined;
  if (row !== undefined) select(row.key);
}

function copy(keys: readonly number[]): void {
  link.post({ type: 'copy', keys: [...keys] });
  announcer.say('Copied');
}

function Page({ store: { shown, total } }: { readonly store: TrafficStore }) {
  useSignalEffect(() => {
    // A row that was cleared or dropped is no longer selected.
    if (store.selectedKey.value !== undefined && store.selected.value === undefined) select(undefined);
  });
  return (
    <main class="traffic-main">
      <h1 class="sr-only">Traffic</h1>
      <TrafficToolbar store={store} post={link.post} say={announcer.say} />
      {shown.value.length > 0 ? (
        <TrafficList store={store} select={select} copy={copy} />
      ) : (
        <p class="traffic-empty">
          {total.value === 0
            ? 'No messages yet. Messages between ACP Host and its agents appear here once an agent starts.'
            : 'No messages match.'}
        </p>
      )}
      <TrafficDetail store={store} select={select} copy={copy} />
    </main>
  );
}
