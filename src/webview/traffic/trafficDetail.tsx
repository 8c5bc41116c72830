/** The selected message below the list, complete. */
import type { TrafficRow } from '../../contract/traffic.js';
import { Icon } from '../components/components.js';
import { clockTime, outcomeText, sizeText, titleOf } from './trafficText.js';
import type { TrafficStore } from './trafficStore.js';

interface Props {
  readonly store: TrafficStore;
  readonly select: (key: number | undefined) => void;
  readonly copy: (keys: readonly number[]) => void;
}

export function TrafficDetail({ store, select, copy }: Props) {
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
