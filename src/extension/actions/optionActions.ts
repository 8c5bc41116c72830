/** Actions that set options of the session, which open the session first. */
import { agentLabel } from '../chat/headerView.js';
import { execute } from '../conversation/execute.js';
import { showMessage } from '../window/windowMessages.js';
import type { ActionScope } from './actionScope.js';
import { askOption, pickOption } from './pickers.js';
import { otherValue, type SelectorView } from '../../contract/view.js';

export function createOptionActions(scope: ActionScope) {
  return {
    setOption: (optionId: string, value: string | boolean): Promise<void> => setOption(scope, optionId, value),
    selectMode: (): Promise<void> => choose(scope, 'mode'),
    selectModel: (): Promise<void> => choose(scope, 'model'),
  };
}

/** @param value `otherValue` asks the user for one */
async function setOption({ ask, current }: ActionScope, optionId: string, value: string | boolean): Promise<void> {
  const { conversation } = current();
  if (!(await execute(conversation, { type: 'open' }))) return;
  const option = conversation.state.session?.options.find(({ id }) => id === optionId);
  const chosen = value === otherValue && option?.type === 'select' ? await ask(() => askOption(option)) : value;
  if (chosen !== undefined) await execute(conversation, { type: 'set_option', optionId, value: chosen });
}

async function choose(scope: ActionScope, category: SelectorView['category']): Promise<void> {
  const { parts, target, current, source } = scope;
  if (!(await execute(current().conversation, { type: 'open' }))) return parts.pages.focus(target(), 'composer');
  const selector = source()
    .view()
    .composer.selectors.find((one) => one.category === category);
  if (selector === undefined) {
    // Not awaited, because the message may stay open for any time.
    void showMessage('information', `${agentLabel(current().conversation.state)} doesn't offer a choice of ${category}`);
    return;
  }
  const value = await scope.ask(() => pickOption(selector));
  if (value !== undefined) await setOption(scope, selector.id, value);
}
