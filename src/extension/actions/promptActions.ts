/** What the user sends, resends, or holds back. */
import { type ContentBlock, HostError, checkPrompt } from '../../core/index.js';
import type { ChatSource } from '../chat/chatSource.js';
import { contextChipId } from '../chat/composerView.js';
import { findEndedTurn } from '../chat/transcript.js';
import type { Conversation } from '../conversation/conversation.js';
import { type LongTextFile, withLongTextFiles } from '../conversation/longTextFiles.js';
import type { Documents } from '../editor/documents.js';

export interface PromptActionParts {
  readonly source: ChatSource;
  readonly documents: Documents;
  /** Puts a text into a file that an agent can read. */
  writeTextFile(text: string): Promise<LongTextFile>;
  /** The conversation on screen. @throws HostError `usage` while no folder is open */
  current(): Conversation;
}

export type PromptActions = ReturnType<typeof createPromptActions>;

export function createPromptActions({ source, documents, writeTextFile, current }: PromptActionParts) {
  const isRisky = (conversation: Conversation, content: readonly ContentBlock[]): boolean => {
    const { info, agent } = conversation.state;
    return checkPrompt(info ?? { name: agent?.id ?? '' }, content) !== undefined;
  };
  const turnOf = (conversation: Conversation, itemId: string | undefined): ReturnType<typeof findEndedTurn> =>
    itemId === undefined ? undefined : findEndedTurn(conversation.state, itemId);

  return {
    /** What is known to freeze the agent is held until the user decides. */
    async send(text: string): Promise<void> {
      const conversation = current();
      const chips = source.takeChips();
      source.keepDraft('');
      const content: readonly ContentBlock[] = [
        { type: 'text', text },
        ...chips.map((chip) => ({ type: 'text' as const, text: chip.text })),
      ];
      await (isRisky(conversation, content) ? conversation.holdRisky(content) : conversation.send(content));
    },
    async sendAnyway(): Promise<void> {
      const conversation = current();
      const { risky } = conversation;
      conversation.takeRisky(risky);
      await Promise.all(risky.map(({ content }) => conversation.send(content)));
    },
    async sendAsFile(): Promise<void> {
      const conversation = current();
      const isTooLong = (text: string): boolean => isRisky(conversation, [{ type: 'text', text }]);
      const { risky } = conversation;
      const contents = await Promise.all(risky.map(({ content }) => withLongTextFiles(content, isTooLong, writeTextFile))).catch(
        (cause: unknown) => {
          throw new HostError('storage_failed', 'The text could not be written into a file', { cause });
        },
      );
      conversation.takeRisky(risky);
      await Promise.all(contents.map((content) => conversation.send(content)));
    },
    keepEditing(): void {
      current().giveRiskyBack();
    },
    /** @param itemId the line under the turn; absent: whatever could not be sent */
    async retry(itemId: string | undefined): Promise<void> {
      const conversation = current();
      const turn = turnOf(conversation, itemId);
      await (turn === undefined ? conversation.sendUnsent() : conversation.retry(turn.turnId, turn.session));
    },
    editTurn(itemId: string | undefined): void {
      const conversation = current();
      const turn = turnOf(conversation, itemId);
      if (turn !== undefined) conversation.editPrompt(turn.turnId, turn.session);
    },
    /** The last turn, which was interrupted, and then the messages held behind it. */
    async resendInterrupted(): Promise<void> {
      const conversation = current();
      const interrupted = conversation.state.session?.items.findLast((item) => item.kind === 'turn_end');
      if (interrupted?.kind === 'turn_end') await conversation.retry(interrupted.turnId);
    },
    sendHeld: (): Promise<void> => current().sendHeld(),
    continueWithContext: (): Promise<void> => current().goOnWithContext(),
    startFresh: (): Promise<void> => current().startFresh(),
    removeChip(id: string): void {
      if (id === contextChipId) current().dropContext();
      else source.removeChip(id);
    },
    /** Shows what the agent is going to read, before it does. */
    async openChip(id: string): Promise<void> {
      const chip = id === contextChipId ? { label: 'Earlier conversation.md', text: current().state.context?.text } : source.findChip(id);
      if (chip?.text !== undefined) await documents.open(chip.label, chip.text);
    },
  };
}
