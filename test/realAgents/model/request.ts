/** What an agent asks its model, in the words of no provider, and the rule by which the scripted model finds its place in the script. */
import * as z from 'zod/mini';

export type JsonSchema = z.infer<typeof jsonSchema>;
export const jsonSchema = z.looseObject({});

export interface ModelMessage {
  /** `tool`: the result of one call. */
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
}

export interface OfferedTool {
  readonly name: string;
  readonly schema: JsonSchema;
  /** Takes one text instead of arguments. */
  readonly isFreeform: boolean;
}

export interface ModelRequest {
  readonly model: string;
  /** Oldest first. */
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly OfferedTool[];
  readonly isStreaming: boolean;
  /** The answer has to be JSON of this shape. */
  readonly answerSchema?: JsonSchema | undefined;
}

export interface Place {
  /** Absent where no message names a case. */
  readonly name: string | undefined;
  /** The folder that the prompt names. */
  readonly folder: string;
  /** How many calls were answered since the prompt. */
  readonly step: number;
  /** How many prompts named a case, this one among them. */
  readonly prompts: number;
}

const marker = /\bCASE:([a-z-]+) DIR=(\S+)/g;

/** The place is in the conversation itself, so the model keeps no state, and an agent that was restarted goes on where it was. */
export function placeOf({ messages }: Pick<ModelRequest, 'messages'>): Place {
  const marks = messages.map(({ role, text }) => (role === 'user' ? [...text.matchAll(marker)].at(-1) : undefined));
  const index = marks.findLastIndex((mark) => mark !== undefined);
  const [, name, folder = ''] = marks[index] ?? [];
  return {
    name,
    folder,
    step: messages.slice(index + 1).filter(({ role }) => role === 'tool').length,
    prompts: marks.filter((mark) => mark !== undefined).length,
  };
}
