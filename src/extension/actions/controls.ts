/** What can be done with a session now, the most likely first. */
import type { Action } from '../../contract/actions.js';
import { titleOf } from '../../contract/userActions.js';
import type { ChatView } from '../../contract/view.js';

export interface Control {
  readonly label: string;
  readonly description?: string;
  readonly action: Action;
}

function control(icon: string, action: Action, label = titleOf(action)): Control {
  return { label: `$(${icon}) ${label}`, action };
}

/** @param pending the number of requests of all conversations that need an answer */
export function controlsFor({ header, banner, composer }: ChatView, pending: number): readonly Control[] {
  const running = header.state !== 'stopped' && header.state !== 'failed';
  const valueOf = (category: 'mode' | 'model'): { description?: string } => {
    const selector = composer.selectors.find((one) => one.category === category);
    const label = selector?.options.find(({ value }) => value === selector.value)?.label;
    return label === undefined ? {} : { description: label };
  };
  const first: Control[] = [];
  if (pending > 0) first.push(control('bell-dot', 'openChat', 'Show Pending Requests'));
  if (banner?.buttons.some(({ action }) => action === 'signIn') === true) first.push(control('key', 'signIn'));
  if (composer.busy) first.push(control('debug-stop', 'stop'));
  if (!running) first.push(control('play', 'restartAgent', `Start ${header.agent}`));
  return [
    ...first,
    control('comment-discussion', 'openChat'),
    control('add', 'newSession'),
    { ...control('settings-gear', 'selectMode', 'Mode'), ...valueOf('mode') },
    { ...control('sparkle', 'selectModel', 'Model'), ...valueOf('model') },
    { ...control('arrow-swap', 'selectAgent', 'Switch Agent'), description: header.agent },
    ...(running ? [control('debug-restart', 'restartAgent')] : []),
    control('output', 'showLog'),
    control('list-flat', 'showTraffic'),
  ];
}
