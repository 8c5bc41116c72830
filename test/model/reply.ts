/** The replies of the mock model as data, and the functions for writing scenarios. */

/** One thing done to the open response stream, in order. */
export type Action =
  | { readonly type: 'delta'; readonly delta: Readonly<Record<string, unknown>> }
  | { readonly type: 'finish'; readonly reason: FinishReason }
  | { readonly type: 'done' }
  | { readonly type: 'raw'; readonly text: string }
  /** Holds the stream until the test releases the gate. A gate before the first byte holds the headers too. */
  | { readonly type: 'gate'; readonly name: string }
  /** Ends the connection with a TCP reset. */
  | { readonly type: 'reset' };

export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'content_filter';

export type Reply =
  /** The connection ends properly after the last action, also where that is not `done`: a clean close in mid-stream. */
  | { readonly type: 'stream'; readonly actions: readonly Action[] }
  | { readonly type: 'http'; readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body: object };

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** As the model writes them: a JSON text, or something that is none. */
  readonly arguments: string;
}

export const stream = (...actions: readonly Action[]): Reply => ({ type: 'stream', actions });

/** A whole answer: the actions between the role and the proper end. */
export const answer = (...actions: readonly Action[]): Reply => stream(role, ...actions, finish('stop'), done);

/** A whole message that calls tools, all in one batch, after what `before` says. */
export function calls(toolCalls: readonly ToolCall[], before: readonly Action[] = []): Reply {
  const delta = {
    tool_calls: toolCalls.map((call, index) => ({
      index,
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: call.arguments },
    })),
  };
  return stream(role, ...before, { type: 'delta', delta }, finish('tool_calls'), done);
}

export const call = (id: string, name: string, args: object): ToolCall => ({ id, name, arguments: JSON.stringify(args) });

export const role: Action = { type: 'delta', delta: { role: 'assistant', content: '' } };
export const done: Action = { type: 'done' };
export const reset: Action = { type: 'reset' };
export const text = (content: string): Action => ({ type: 'delta', delta: { content } });
export const thought = (content: string): Action => ({ type: 'delta', delta: { reasoning_content: content } });
export const refusal = (content: string): Action => ({ type: 'delta', delta: { refusal: content } });
export const finish = (reason: FinishReason): Action => ({ type: 'finish', reason });
export const gate = (name: string): Action => ({ type: 'gate', name });
export const raw = (content: string): Action => ({ type: 'raw', text: content });
