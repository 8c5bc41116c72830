/** Above the list: the filter, and what can be done with the visible rows. */
import type { TrafficPageMessage } from '../../contract/traffic.js';
import { Icon } from '../components/components.js';
import { countOf } from '../base/formatText.js';
import { noFilter, type TrafficFilter, type TrafficStore } from './trafficStore.js';

interface Props {
  readonly store: TrafficStore;
  readonly post: (message: TrafficPageMessage) => void;
  readonly say: (text: string) => void;
}

export function TrafficToolbar({ store, post, say }: Props) {
  const filter = store.filter.value;
  const { agents, sessions, methods } = store.seen.value;
  const change = (part: Partial<TrafficFilter>): void => void (store.filter.value = { ...filter, ...part });
  const isFiltered = Object.values(filter).some((value) => value !== '');
  const shownKeys = (): number[] => store.shown.peek().map(({ key }) => key);
  const setPaused = (paused: boolean): void => {
    store.paused.value = paused;
    post({ type: 'pause', paused });
    say(paused ? 'Paused' : 'Live');
  };
  const paused = store.paused.value;
  const [shown, total] = [store.shown.value.length, store.total.value];
  return (
    <header class="traffic-bar">
      <div class="traffic-filters" role="search">
        <input
          class="traffic-search"
          type="search"
          aria-label="Filter by text"
          placeholder="Filter by text"
          value={filter.text}
          spellcheck={false}
          onInput={(event) => change({ text: event.currentTarget.value })}
        />
        {agents.length > 1 ? (
          <Choice label="Agent" all="All agents" value={filter.agent} options={agents} onChange={(agent) => change({ agent })} />
        ) : null}
        <Choice label="Method" all="All methods" value={filter.method} options={methods} onChange={(method) => change({ method })} />
        <Choice label="Session" all="All sessions" value={filter.session} options={sessions} onChange={(session) => change({ session })} />
        <Choice
          label="Direction"
          all="Both directions"
          value={filter.direction}
          options={['sent', 'received']}
          words={{ sent: 'To the agent', received: 'From the agent' }}
          onChange={(direction) => change({ direction: direction === 'sent' || direction === 'received' ? direction : '' })}
        />
      </div>
      <div class="traffic-actions" role="toolbar" aria-label="Traffic">
        <Tool icon={paused ? 'debug-start' : 'debug-pause'} label={paused ? 'Resume' : 'Pause'} onClick={() => setPaused(!paused)} />
        <Tool icon="clear-all" label="Clear" onClick={() => post({ type: 'clear' })} />
        <Tool
          icon="copy"
          label="Copy Visible"
          disabled={shown === 0}
          onClick={() => {
            post({ type: 'copy', keys: shownKeys() });
            say(`${countOf(shown, 'message', 'messages')} copied`);
          }}
        />
        <Tool
          icon="save"
          label="Export Visible as Trace"
          disabled={shown === 0}
          onClick={() => post({ type: 'export', keys: shownKeys() })}
        />
        <Tool icon="report" label="Report a Problem" onClick={() => post({ type: 'reportProblem' })} />
        <span class="traffic-count">
          {isFiltered ? `${shown} of ${total}` : countOf(total, 'message', 'messages')}
          {paused ? ' · paused' : ''}
        </span>
        {isFiltered ? (
          <button type="button" class="text-button" onClick={() => (store.filter.value = noFilter)}>
            Show All
          </button>
        ) : null}
      </div>
    </header>
  );
}

function Tool({
  icon,
  label,
  disabled = false,
  onClick,
}: {
  readonly icon: string;
  readonly label: string;
  readonly disabled?: boolean;
  readonly onClick: () => void;
}) {
  return (
    <button type="button" class="icon-button" aria-label={label} title={label} disabled={disabled} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}

interface ChoiceProps {
  readonly label: string;
  /** The label of the empty choice. */
  readonly all: string;
  readonly value: string;
  readonly options: readonly string[];
  readonly words?: Readonly<Record<string, string>>;
  readonly onChange: (value: string) => void;
}

function Choice({ label, all, value, options, words = {}, onChange }: ChoiceProps) {
  const known = value === '' || options.includes(value) ? options : [value, ...options];
  return (
    <select
      class={value === '' ? 'selector' : 'selector chosen'}
      aria-label={label}
      title={label}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    >
      <option value="">{all}</option>
      {known.map((option) => (
        <option key={option} value={option}>
          {words[option] ?? option}
        </option>
      ))}
    </select>
  );
}
