/** Sends tasks on the code in the editor as prompts of the conversation. */
import { type CodeTaskKind, type ContentBlock, taskPrompt } from '../../core/index.js';
import { codeTaskText } from '../../text/codeTaskText.js';
import { execute } from '../conversation/execute.js';
import type { OpenConversation } from '../conversation/openConversations.js';
import { codeTaskHere } from '../editor/codeTask.js';
import { isTrusted } from '../window/trust.js';
import type { ActionScope } from './actionScope.js';
import { sendPrompt } from './sendPrompt.js';

export interface CodeTaskParts {
  /** @throws HostError `usage` while no folder is open */
  current(): OpenConversation;
  readonly confirm: ActionScope['confirm'];
  focus(entry: OpenConversation): Promise<void>;
  /** Shows the end of the conversation. */
  follow(entry: OpenConversation): void;
}

export function createCodeTasks({ current, confirm, focus, follow }: CodeTaskParts) {
  const run = async (kind: CodeTaskKind): Promise<void> => {
    const entry = current();
    const task = await codeTaskHere(kind);
    await focus(entry);
    // The chat shows why, and its composer takes no message either.
    if (!isTrusted()) return;
    const { conversation } = entry;
    // The commands of the agent are only known once a session is open. Without one, the task waits like a message of the user.
    if (conversation.state.session === undefined) await execute(conversation, { type: 'open' });
    const hasCommand = conversation.state.session?.commands.some(({ name }) => name === kind) === true;
    // An agent that can read the file itself only needs the selection.
    const content: readonly ContentBlock[] = hasCommand
      ? taskPrompt(task)
      : [{ type: 'text', text: codeTaskText(kind) }, ...taskPrompt({ kind, uri: task.uri, selected: task.selected }).slice(1)];
    if (await sendPrompt(conversation, { content }, confirm)) follow(entry);
  };
  return {
    explainCode: (): Promise<void> => run('explain'),
    documentCode: (): Promise<void> => run('docstring'),
    optimizeCode: (): Promise<void> => run('optimize'),
    fixCode: (): Promise<void> => run('fix'),
    testCode: (): Promise<void> => run('unittest'),
  };
}
