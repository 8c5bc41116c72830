/** The requests of agents to their model, independent of any provider, and how the scripted model finds its place in the script. */
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
  /** Of the group that has it, with some providers. */
  readonly namespace?: string | undefined;
  readonly schema: JsonSchema;
  /** Whether its input is a single text instead of arguments. */
  readonly isFreeform: boolean;
}

export interface ModelRequest {
  readonly model: string;
  /** Oldest first. */
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly OfferedTool[];
  readonly isStreaming: boolean;
  /** The JSON schema that the answer must match. */
  readonly answerSchema?: JsonSchema | undefined;
}

export interface Place {
  /** Absent if no message names a case. */
  readonly name: string | undefined;
  /** The folder that the prompt names. */
  readonly folder: string;
  /** The number of calls that were answered since the prompt. */
  readonly step: number;
  /** The number of prompts that named a case, including this one. */
  readonly prompts: number;
}

/** Returns the result of a call as the agent gave it to its model: a text, or JSON. */
export function resultText(result: unknown): string {
  return typeof result === 'string' ? result : JSON.stringify(result ?? '');
}

const marker = /\bCASE:([a-z-]+) DIR=(\S+)/g;

/** The place follows from the conversation itself, so the model has no state, and a restarted agent continues where it was. */
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
