import type { SessionEvent } from '../../src/core/index.js';

/**
 * The events of an agent in a long conversation as the journal gets them: parts of an answer per frame, thoughts, tool calls with output,
 * usage.
 */
export function conversationOf(count: number): readonly SessionEvent[] {
  const events: SessionEvent[] = [];
  for (let at = 0; events.length < count; at++) {
    const turnId = `t${Math.floor(at / 10)}`;
    events.push({ type: 'turn_started', at, turnId, content: [{ type: 'text', text: `Please go on with part ${at} of the work.` }] });
    for (let piece = 0; piece < 60; piece++) {
      const [thought, answer] = [
        `I look at piece ${piece}. `,
        `Here is what I found in piece ${piece} of part ${at}: the words of a frame, some forty of them, as they come from a model. `,
      ];
      if (piece % 10 === 0) events.push({ type: 'message', at, role: 'thought', content: { type: 'text', text: thought } });
      if (piece % 6 === 0) events.push(...toolCall(at, `${at}-${piece}`));
      if (piece % 15 === 0) events.push({ type: 'usage', at, usage: { used: at * 100 + piece, size: 200_000, cost: undefined } });
      events.push({ type: 'message', at, role: 'agent', messageId: `m${at}`, content: { type: 'text', text: answer } });
    }
    events.push({ type: 'turn_ended', at, turnId, outcome: { type: 'ended', stopReason: 'end_turn', silent: false } });
  }
  return events.slice(0, count);
}

function toolCall(at: number, id: string): readonly SessionEvent[] {
  const output = `line of a file\n`.repeat(20);
  return [
    {
      type: 'tool',
      at,
      id,
      toolCallId: id,
      patch: {
        title: `Read part-${id}.ts`,
        toolKind: 'read',
        status: 'in_progress',
        locations: [{ path: `/workspace/part-${id}.ts` }],
        rawInput: { file_path: `part-${id}.ts` },
      },
    },
    {
      type: 'tool',
      at,
      id,
      toolCallId: id,
      patch: { status: 'completed', content: [{ type: 'content', content: { type: 'text', text: output } }], rawOutput: { lines: 20 } },
    },
  ];
}
