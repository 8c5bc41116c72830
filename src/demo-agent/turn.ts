/** What a command may do in its turn. Everything that it says or shows is sent to the client at once; a cancel stops everything. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ContentBlock } from '@agentclientprotocol/sdk/unstable';
import type { DemoSession } from './session.js';

export interface Turn {
  readonly session: DemoSession;
  /** Aborted when the turn is canceled or the client is gone. */
  readonly signal: AbortSignal;
  /** The links, embedded files and images that the user attached to the prompt. */
  readonly attachments: readonly ContentBlock[];
  /** Adds a Markdown paragraph to the answer. */
  say(markdown: string): Promise<void>;
  /** Does the same at the speed of a very fast typist. */
  stream(markdown: string): Promise<void>;
  /** Adds any content block to the answer. */
  show(block: ContentBlock): Promise<void>;
  /** Adds a paragraph that is left out if the user wants short answers. */
  tip(markdown: string): Promise<void>;
  think(text: string): Promise<void>;
  /** Returns the same for the session of a sub-agent. */
  as(session: DemoSession, signal: AbortSignal): Turn;
  /** Resolves after the time, or rejects at once when the turn is canceled. */
  pause(durationMs: number): Promise<void>;
}

export interface TurnOptions {
  readonly session: DemoSession;
  readonly signal: AbortSignal;
  readonly attachments: readonly ContentBlock[];
  /** The time between two parts of streamed text, in milliseconds. */
  readonly paceMs: number;
}

export function createTurn({ session, signal, attachments, paceMs }: TurnOptions): Turn {
  const text = async (kind: 'agent_message_chunk' | 'agent_thought_chunk', words: string): Promise<void> => {
    signal.throwIfAborted();
    await session.send({ sessionUpdate: kind, content: { type: 'text', text: words } });
  };
  const pause = async (durationMs: number): Promise<void> => {
    signal.throwIfAborted();
    if (durationMs > 0) await sleep(durationMs, undefined, { signal });
  };
  const paragraph = (markdown: string): string => (session.isAnswering ? `\n\n${markdown}` : markdown);
  const say = (markdown: string): Promise<void> => text('agent_message_chunk', paragraph(markdown));

  return {
    session,
    signal,
    attachments,
    say,
    pause,
    as: (other, otherSignal) => createTurn({ session: other, signal: otherSignal, attachments, paceMs }),
    async stream(markdown) {
      for (const piece of pieces(paragraph(markdown))) {
        await text('agent_message_chunk', piece);
        await pause(paceMs);
      }
    },
    async show(block) {
      signal.throwIfAborted();
      await session.send({ sessionUpdate: 'agent_message_chunk', content: block });
    },
    async tip(markdown) {
      if (session.settings.verbosity !== 'brief') await say(markdown);
    },
    think: (words) => text('agent_thought_chunk', words),
  };
}

/** Splits a text into a few words at a time, as models send them. Joined, they are the text again. */
function pieces(text: string): readonly string[] {
  return text.match(/(?:\s*\S+){1,3}\s*|\s+/g) ?? [];
}
