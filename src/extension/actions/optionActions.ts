/** Actions that set options of the session, which open the session first. */
import { agentLabel } from '../chat/headerView.js';
import { execute } from '../conversation/execute.js';
import { choicesOf, neverAsks } from '../../core/index.js';
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
async function setOption({ ask, confirm, current, parts, source }: ActionScope, optionId: string, value: string | boolean): Promise<void> {
  const { conversation, folder } = current();
  if (!(await execute(conversation, { type: 'open' }))) return;
  const option = conversation.state.session?.options.find(({ id }) => id === optionId);
  const chosen = value === otherValue && option?.type === 'select' ? await ask(() => askOption(option)) : value;
  if (chosen === undefined) return;
  const mode = option?.category === 'mode' ? option : undefined;
  const choice = mode?.type === 'select' ? choicesOf(mode).find((one) => one.value === chosen) : undefined;
  if (choice !== undefined && neverAsks(choice) && !parts.unasked.mayActUnasked(folder.path)) {
    const detail = `In the mode "${choice.name}", it changes files and runs commands without asking you. You are asked this once for each folder.`;
    const question = `Let ${agentLabel(conversation.state)} work in "${folder.name}" without asking?`;
    if (!(await confirm(question, detail, 'Never Ask'))) return source().refresh();
    parts.unasked.allowUnasked(folder.path);
  }
  await execute(conversation, { type: 'set_option', optionId, value: chosen });
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
