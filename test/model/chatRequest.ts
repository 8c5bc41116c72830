/** A chat-completions request as the mock model parses it, and the rule by which it finds its position in the script. */
import * as z from 'zod/mini';

const part = z.looseObject({ type: z.string(), text: z.optional(z.string()) });
const message = z.looseObject({ role: z.string(), content: z.optional(z.nullable(z.union([z.string(), z.array(part)]))) });
const tool = z.looseObject({ function: z.looseObject({ name: z.string() }) });

export const chatRequest = z.looseObject({ model: z.string(), messages: z.array(message), tools: z.optional(z.array(tool)) });

export type ChatRequest = z.infer<typeof chatRequest>;
export type ChatMessage = z.infer<typeof message>;

export interface Place {
  /** Absent when no message names a scenario. */
  readonly scenario: string | undefined;
  /** 0 for the first request of a turn. */
  readonly step: number;
}

/**
 * The scenario is the last marker `SC:<name>` in the last user message that carries one; the step is the number of assistant messages after it.
 * So the server keeps no state: a restarted agent goes on where it was. Agents append user messages of their own (reminders), hence "that carries one".
 */
export function placeOf(messages: readonly ChatMessage[]): Place {
  for (let index = messages.length - 1; index >= 0; index--) {
    const candidate = messages[index];
    if (candidate?.role !== 'user') continue;
    const scenario = [...textOf(candidate).matchAll(/\bSC:([a-z0-9-]+)/g)].at(-1)?.[1];
    if (scenario === undefined) continue;
    return { scenario, step: messages.slice(index + 1).filter((later) => later.role === 'assistant').length };
  }
  return { scenario: undefined, step: 0 };
}

export function textOf({ content }: ChatMessage): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((piece) => piece.text ?? '').join('\n');
}

/** What the last tool said to the model. */
export function lastToolResult(request: ChatRequest): string {
  const last = request.messages.findLast((candidate) => candidate.role === 'tool');
  return last === undefined ? '' : textOf(last);
}
