/** What can be done with a session now, the likeliest first. */
import type { ChatView } from '../../contract/view.js';
import type { CommandId } from './commands.js';

export interface Control {
  readonly label: string;
  readonly description?: string;
  readonly command: CommandId;
}

export function controlsFor({ header, prompts, banner, composer }: ChatView): readonly Control[] {
  const running = header.state !== 'stopped' && header.state !== 'failed';
  const valueOf = (category: 'mode' | 'model'): { description?: string } => {
    const selector = composer.selectors.find((one) => one.category === category);
    const label = selector?.options.find(({ value }) => value === selector.value)?.label;
    return label === undefined ? {} : { description: label };
  };
  const first: Control[] = [];
  if (prompts.length > 0) first.push({ label: '$(bell-dot) Show What Waits for You', command: 'acpHost.openChat' });
  if (banner?.buttons.some(({ action }) => action === 'signIn') === true)
    first.push({ label: '$(key) Sign In', command: 'acpHost.signIn' });
  if (composer.busy) first.push({ label: '$(debug-stop) Stop Turn', command: 'acpHost.cancelTurn' });
  if (!running) first.push({ label: `$(play) Start ${header.agent}`, command: 'acpHost.restartAgent' });
  const rest: Control[] = [
    { label: '$(comment-discussion) Open Chat', command: 'acpHost.openChat' },
    { label: '$(add) New Session', command: 'acpHost.newSession' },
    { label: '$(settings-gear) Mode', ...valueOf('mode'), command: 'acpHost.selectMode' },
    { label: '$(sparkle) Model', ...valueOf('model'), command: 'acpHost.selectModel' },
    { label: '$(arrow-swap) Switch Agent', description: header.agent, command: 'acpHost.selectAgent' },
    ...(running ? [{ label: '$(debug-restart) Restart Agent', command: 'acpHost.restartAgent' } as const] : []),
    { label: '$(output) Show Log', command: 'acpHost.showLog' },
    { label: '$(list-flat) Show Traffic', command: 'acpHost.showTraffic' },
  ];
  return [...first, ...rest];
}
