/** Actions to send, resend, or hold back prompts. */
import { randomUUID } from 'node:crypto';
import { attachmentsOf, textOf } from '../chat/messageView.js';
import type { ActionScope } from './actionScope.js';
import type { ChatPages } from '../chat/chatPages.js';
import type { ChatSources } from '../chat/chatSource.js';
import { contextChipId } from '../chat/composerView.js';
import { agentLabel } from '../chat/headerView.js';
import {
  checkPrompt,
  type Chip,
  type ContentBlock,
  type ConversationClient,
  type ConversationCommand,
  type HoldReason,
  holdReasons,
  isSymbolsBlock,
  type OutboxPrompt,
} from '../../core/index.js';
import { openAttached } from '../editor/open.js';
import { execute, type OpenConversation, type OpenConversations } from '../conversation/openConversations.js';
import { isNote, isPastedText, notesChipId, notesText } from '../chat/sharedDraft.js';
import { findEndedTurn, promptOf } from '../chat/transcript.js';

export function createPromptActions(scope: ActionScope) {
  const { parts, source, run, saveNamed } = scope;
  const { documents } = parts;
  const current = (): ConversationClient => scope.current().conversation;
  /** Sends what was written before. */
  const resend = async (content: readonly ContentBlock[], command: ConversationCommand): Promise<void> => {
    if (await saveNamed(content)) await run(command);
  };
  const unsent = (why?: HoldReason): readonly ContentBlock[] =>
    current().state.outbox.flatMap(({ content, held }) => (why === undefined || held === why ? content : []));
  /** Returns the turn to which an item of the page belongs. */
  const turnAt = (itemId: string | undefined): string | undefined =>
    itemId === undefined ? undefined : findEndedTurn(current().state, itemId);

  return {
    /** @param id that of the prompt */
    async send(
      text: string,
      { id = randomUUID(), steers = false }: { readonly id?: string; readonly steers?: boolean } = {},
    ): Promise<void> {
      const entry = scope.current();
      // A command of the agent has a form of its own.
      const isCommand = text.startsWith('/');
      const openFile = isCommand ? undefined : source().openFile();
      const { queuedBefore: before } = source();
      source().keepDraft('');
      await source().sendChips(
        async (chips) => {
          // The user removed the pasted text that was the message.
          if (text === '' && chips.length === 0) return false;
          const attached = [...(openFile === undefined ? [] : [openFile]), ...chips].map((chip) => chip.content);
          const content = [...(text === '' ? [] : [{ type: 'text', text } as const]), ...attached];
          let isSent = false;
          try {
            const place = before === undefined ? {} : { before };
            isSent = await sendPrompt(entry.conversation, { id, content, ...place, ...(steers ? { delivery: 'steer' } : {}) }, scope);
          } finally {
            if (!isSent) returnText(parts, entry, text, id);
          }
          return isSent;
        },
        (chip) => !isCommand || !isNote(chip),
      );
    },
    sendQueued(promptId: string): Promise<void> {
      const { outbox, session } = current().state;
      const content = outbox.find(({ id }) => id === promptId)?.content ?? [];
      const turnId = session?.turn.type === 'running' ? session.turn.turnId : undefined;
      return resend(content, { type: 'send_queued', promptId, ...(turnId !== undefined && { turnId }) });
    },
    moveQueued: (promptId: string, before: string | undefined): Promise<void> =>
      run({ type: 'move_queued', promptId, ...(before !== undefined && { before }) }),
    /** @param isEdited its text is in the composer: its other parts are attached there */
    async unqueue(promptId: string, isEdited: boolean): Promise<void> {
      const { outbox, session } = current().state;
      const prompt = [...outbox, ...(session?.queue ?? [])].find(({ id }) => id === promptId);
      const place = outbox.findIndex(({ id }) => id === promptId);
      const isRemoved = await execute(current(), { type: 'unqueue', promptId });
      if (!isRemoved || !isEdited || prompt === undefined) return;
      source().queuedBefore = place === -1 ? undefined : outbox[place + 1]?.id;
      for (const chip of chipsOf(prompt)) source().addChip(chip);
    },
    /** @param itemId the line below the turn; if undefined, this retries whatever could not be sent */
    retry(itemId: string | undefined): Promise<void> {
      const turnId = turnAt(itemId);
      if (turnId === undefined) return resend(unsent(), { type: 'retry' });
      return resend(promptOf(current().state, turnId), { type: 'retry_turn', turnId });
    },
    async editTurn(itemId: string | undefined): Promise<void> {
      const turnId = turnAt(itemId);
      if (turnId !== undefined) await run({ type: 'edit_turn', turnId });
    },
    resendInterrupted: (): Promise<void> => resend(current().state.interrupted?.content ?? [], { type: 'resend_interrupted' }),
    /** @param why why the messages are on hold */
    sendHeld(why: string | undefined): Promise<void> {
      const reason = holdReasons.find((one) => one === why);
      return resend(unsent(reason), { type: 'release_held', ...(reason === undefined ? {} : { why: reason }) });
    },
    continueWithContext: (): Promise<void> => run({ type: 'continue_with_context', waiting: 'hold' }),
    startFresh: (): Promise<void> => run({ type: 'start_fresh', waiting: 'hold' }),
    async removeChip(id: string): Promise<void> {
      if (id === contextChipId) await run({ type: 'clear_context' });
      else source().removeChip(id);
    },
    /** Shows what the agent will read before it does. */
    async openChip(id: string): Promise<void> {
      if (id === contextChipId) {
        const text = current().state.context?.text;
        if (text !== undefined) await documents.open('Earlier conversation.md', text);
        return;
      }
      if (id === notesChipId) return documents.open('Notes.md', notesText(source().notes));
      const chip = source().findChip(id) ?? source().openFile();
      if (chip === undefined) return;
      const { content } = chip;
      if ((content.type === 'resource_link' || content.type === 'image') && content.uri != null) return openAttached(content.uri);
      const text = textIn(content);
      if (text !== undefined && isPastedText(id)) {
        source().removeChip(id);
        returnText(parts, scope.current(), text);
      } else if (text !== undefined) await documents.open(chip.label, text);
    },
  };
}

function textIn(block: ContentBlock): string | undefined {
  if (block.type === 'text') return block.text;
  return block.type === 'resource' && 'text' in block.resource ? block.resource.text : undefined;
}

type Send = Extract<ConversationCommand, { readonly type: 'send' }>;

/**
 * Sends a new message. If the agent is known to hang on it, the user decides first. Files that it names are saved.
 * @returns whether it was sent
 * @throws HostError as `execute`, and `usage` if a file could not be saved
 */
export async function sendPrompt(
  conversation: ConversationClient,
  prompt: Omit<Send, 'type'>,
  { confirm, saveNamed }: Pick<ActionScope, 'confirm' | 'saveNamed'>,
): Promise<boolean> {
  // A conversation that was opened just now may not know yet which agent would start.
  if (conversation.state.agent === undefined) await conversation.execute({ type: 'refresh_agent' });
  const { state } = conversation;
  const risk = checkPrompt(state.info ?? { name: state.agent?.id ?? '' }, prompt.content);
  if (risk !== undefined) {
    const agent = agentLabel(state);
    const detail = `It contains ${risk.runChars.toLocaleString('en')} characters in a row without a space, which can keep ${agent} busy for seconds or minutes. Meanwhile, it doesn't respond, and Stop has no effect. To avoid this, attach the text as a file.`;
    if (!(await confirm(`This message can freeze ${agent}`, detail, 'Send Anyway'))) return false;
  }
  if (!(await saveNamed(prompt.content))) return false;
  return execute(conversation, { type: 'send', ...prompt });
}

export type Prompt = Pick<OutboxPrompt, 'id' | 'content'>;

export interface ReturnParts {
  readonly conversations: OpenConversations;
  readonly sources: Pick<ChatSources, 'of'>;
  readonly pages: Pick<ChatPages, 'hears' | 'tell'>;
}

/**
 * @returns a function that puts prompts that will not be sent into the composer once a page shows their conversation; call it whenever
 * either changed. They stay saved while the page loads, because it may be closed before it is ready.
 */
export function createReturner({ conversations, sources, pages }: ReturnParts): () => Promise<void> {
  return async () => {
    for (const entry of conversations.all) {
      if (entry.conversation.state.returned.length === 0 || !pages.hears(entry.id)) continue;
      for (const prompt of await takeReturned(entry.conversation)) putBack({ sources, pages }, entry, prompt);
    }
  };
}

export interface Places {
  readonly sources: ReturnParts['sources'];
  readonly pages: Pick<ChatPages, 'tell'>;
}

/** Puts a message that was not sent into the composer, with everything that the composer can show. */
export function putBack(places: Places, entry: OpenConversation, prompt: Prompt): void {
  const source = places.sources.of(entry);
  for (const chip of chipsOf(prompt)) source.addChip(chip);
  returnText(places, entry, textOf(prompt.content), prompt.id);
}

/** Puts the text of a message that was not sent into the composer. @param promptId absent if it never was a message */
export function returnText({ sources, pages }: Places, entry: OpenConversation, text: string, promptId?: string): void {
  if (text === '' || pages.tell(entry.id, { type: 'returnText', text, ...(promptId !== undefined && { promptId }) })) return;
  // The page was hidden in the meantime. The next one begins with the draft.
  const source = sources.of(entry);
  source.keepDraft([source.draft() ?? '', text].filter((part) => part !== '').join('\n\n'));
}

/** Returns the parts of a prompt that the composer cannot show as text. Files and code have the ids of all chips for them. */
export function chipsOf({ id, content }: Prompt): readonly Chip[] {
  return content.flatMap((block, index) =>
    attachmentsOf([block]).map(({ label, uri }) => ({
      // The symbols of a file are not the file.
      id: uri === undefined || (block.type === 'resource' && isSymbolsBlock(block)) ? `${id}/${index}` : uri,
      label,
      title: uri ?? label,
      content: block,
    })),
  );
}

/** Returns the prompts that were not claimed elsewhere. */
export async function takeReturned(conversation: ConversationClient): Promise<readonly Prompt[]> {
  const { returned } = conversation.state;
  const result = await conversation.execute({ type: 'take_returned', promptIds: returned.map(({ id }) => id) });
  const ids = result.ok ? (result.ids ?? []) : [];
  return returned.filter(({ id }) => ids.includes(id));
}
