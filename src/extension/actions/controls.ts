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
export function controlsFor(view: ChatView, pending: number): readonly Control[] {
  const { header, banner, composer } = view;
  const running = header.state !== 'stopped' && header.state !== 'failed';
  /** Before the first session, it is not known what the agent offers. */
  const choice = (icon: string, action: Action, category: 'mode' | 'model', label: string): readonly Control[] => {
    const selector = composer.selectors.find((one) => one.category === category);
    const value = selector?.options.find((one) => one.value === selector.value)?.label;
    if (selector === undefined && running) return [];
    return [{ ...control(icon, action, label), ...(value === undefined ? {} : { description: value }) }];
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
    ...choice('settings-gear', 'selectMode', 'mode', 'Mode'),
    ...choice('sparkle', 'selectModel', 'model', 'Model'),
    { ...control('arrow-swap', 'selectAgent'), description: header.agent },
    ...(running ? [control('debug-restart', 'restartAgent')] : []),
    control('output', 'showLog'),
    control('list-flat', 'showTraffic'),
    control('pulse', 'doctor'),
    control('gear', 'openSettings'),
  ];
}
