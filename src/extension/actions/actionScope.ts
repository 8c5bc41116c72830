/** What all actions share: what they may use, and the conversation that they apply to. */
import { isOfChatView } from '../../contract/userActions.js';
import {
  type ContentBlock,
  type ConversationCommand,
  type EngineClient,
  HostError,
  type Redactor,
  stripControls,
  type WriteMessageFile,
} from '../../core/index.js';
import type { AgentSources, LaunchContext } from '../agent/agentChoice.js';
import type { ChatPages } from '../chat/chatPages.js';
import type { ChatSource, ChatSources } from '../chat/chatSource.js';
import type { PendingPrompts } from '../chat/pendingPrompts.js';
import { execute, type OpenConversation, type OpenConversations } from '../conversation/openConversations.js';
import type { Doctor } from '../doctor/doctor.js';
import type { ChangedFiles, Documents } from '../editor/documents.js';
import type { EditorInUse } from '../editor/editorInUse.js';
import type { UnsavedTexts } from '../editor/unsavedTexts.js';
import type { WorkspaceFiles } from '../editor/workspaceFiles.js';
import type { OtherSessions } from '../list/otherSessions.js';
import type { EditorReview } from '../review/editorReview.js';
import type { WindowMemory } from '../window/windowMemory.js';
import { choose, confirm } from '../window/windowMessages.js';
import { saveNamedFiles } from './saveNamedFiles.js';

/** A failure that concerns one conversation, which need not be the one on screen. */
export class NamedFailure extends Error {
  override readonly name = 'NamedFailure';
  /** For users. */
  readonly conversation: string;

  constructor(conversation: string, cause: unknown) {
    super(conversation, { cause });
    this.conversation = conversation;
  }
}

/** @throws NamedFailure what the work throws, with the name of the conversation */
export async function naming<T>(conversation: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new NamedFailure(conversation, cause);
  }
}

export interface ActionParts {
  readonly conversations: OpenConversations;
  readonly sources: ChatSources;
  readonly pending: PendingPrompts;
  readonly pages: ChatPages;
  readonly documents: Documents;
  readonly changedFiles: Pick<ChangedFiles, 'compare' | 'compareAll' | 'closeGone' | 'active'>;
  readonly unsavedTexts: Pick<UnsavedTexts, 'changed'>;
  readonly review: EditorReview;
  readonly editorInUse: Pick<EditorInUse, 'focus'>;
  readonly files: WorkspaceFiles;
  readonly writeMessageFile: WriteMessageFile;
  readonly traffic: { show(): Promise<void> };
  /** Decides about the edit in the tab of the editor, if the user may do that now. */
  decideEdit(decision: 'allow' | 'reject'): void;
  showLog(): void;
  /** Runs work that no command waits for, and shows what fails. */
  readonly report: (work: () => Promise<unknown>) => Promise<void>;
  reportProblem(): Promise<void>;
  readonly engine: Pick<EngineClient, 'connection' | 'facts' | 'restart' | 'call'>;
  readonly agents: AgentSources;
  readonly list: { showArchived(shows: boolean): void };
  readonly others: Pick<OtherSessions, 'agentOf' | 'find' | 'showMore' | 'reload'>;
  readonly doctor: Doctor;
  readonly redactor: Redactor;
  readonly memory: WindowMemory;
}

export interface ActionScope {
  readonly parts: ActionParts;
  /** Returns the conversation that the actions apply to; undefined while no folder is open, or before the engine was reached. */
  target(): OpenConversation | undefined;
  /** Like `target`. @throws HostError why there is none: `usage` while no folder is open */
  current(): OpenConversation;
  source(): ChatSource;
  /** Executes a command in the current conversation. @throws HostError like `current`, and that of a failed command */
  run(command: ConversationCommand): Promise<void>;
  launchContext(): Promise<LaunchContext>;
  /**
   * Asks the user. If the user closes the question, the keyboard focus returns to the chat if it was there: the editor can't return it to a
   * page, and would put it into a file.
   */
  ask<T>(question: () => Promise<T | undefined>): Promise<T | undefined>;
  /** Asks for the user's consent in a dialog. The keyboard focus then returns to the chat if it was there, whatever the answer. */
  confirm: typeof confirm;
  /** As `saveNamedFiles`, as the user has set it. */
  saveNamed(content: readonly ContentBlock[]): Promise<boolean>;
}

export function createActionScope(parts: ActionParts, target: () => OpenConversation | undefined): ActionScope {
  const current = (): OpenConversation => {
    const entry = target();
    const { connection } = parts.engine;
    if (entry === undefined) throw connection.state === 'lost' ? connection.error : noFolder();
    return entry;
  };
  const andBack = async <T>(dialog: () => Promise<T>): Promise<T> => {
    const wasInChat = parts.pages.hasFocus;
    const answer = await dialog();
    if (wasInChat) await parts.pages.focus(target(), 'composer');
    return answer;
  };
  return {
    parts,
    target,
    current,
    source: () => parts.sources.of(target()),
    run: async (command) => void (await execute(current().conversation, command)),
    async ask(question) {
      const wasInChat = parts.pages.hasFocus;
      const answer = await question();
      if (answer === undefined && wasInChat) await parts.pages.focus(target(), 'composer');
      return answer;
    },
    confirm: (...question) => andBack(() => confirm(...question)),
    saveNamed: (content) =>
      saveNamedFiles(content, parts.agents.settings().saveFilesBeforePrompt, (...question) => andBack(() => choose(...question))),
    launchContext: async () => ({ env: await parts.agents.baseEnv(), cwd: current().folder.path }),
  };
}

/** @param what the conversation, as the subject of a sentence */
export function notHere(conversations: Pick<OpenConversations, 'get' | 'folderElsewhere'>, id: string, what: string): HostError {
  if (conversations.get(id) !== undefined) return new HostError('usage', { detail: 'The conversations are still being loaded. Try again' });
  const folder = conversations.folderElsewhere(id);
  if (folder === undefined) return new HostError('usage', { detail: `${what} was deleted` });
  return new HostError('usage', { detail: `${what} belongs to ${stripControls(folder)}. Open this folder to see it` });
}

export function noFolder(): HostError {
  return new HostError('usage', { reason: 'no_folder' });
}

/**
 * Returns the conversation that a command applies to; undefined while no folder is open.
 * @param command its id
 * @param argument what the editor passes to the command: in the Source Control view, the group of a conversation
 */
export function commandTarget(command: string, conversations: OpenConversations, argument: unknown): OpenConversation | undefined {
  if (isOfChatView(command)) return conversations.shown;
  const isGroup = typeof argument === 'object' && argument !== null && 'resourceStates' in argument && 'id' in argument;
  const ofGroup = isGroup && typeof argument.id === 'string' ? conversations.get(argument.id) : undefined;
  return ofGroup ?? conversations.current;
}
