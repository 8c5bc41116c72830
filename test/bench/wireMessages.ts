/** The lines of the flooding agent, serialized once, in blocks as large as a pipe accepts at a time. */

export type Kind = 'small' | 'mix' | '1m' | '32m';

const sessionId = 's1';

function line(update: object): string {
  return `${JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId, update } })}\n`;
}

/** 40 bytes of text, different every time. */
function words(n: number): string {
  return `token number ${n} of an answer, and so on, `.slice(0, 40).padEnd(40, '.');
}

const small = (n: number): string => line({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: words(n) } });
const foreign = (n: number): string =>
  line({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `答え ${n} – «ünï» ${'ö'.repeat(8)}` } });
const thought = (n: number): string => line({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: words(n) } });
/** One call of a tool in 33 updates, and what is said of tools is said of the latest. */
const callId = (n: number): string => `call_${Math.floor(n / 33)}`;
const toolCall = (n: number): string =>
  line({
    sessionUpdate: 'tool_call',
    toolCallId: callId(n),
    title: 'run_shell_command',
    kind: 'execute',
    status: 'pending',
    rawInput: { command: `ls -l ${n}` },
    locations: [{ path: `/workspace/${n}.ts`, line: n }],
  });
const output = (n: number, bytes: number, status = 'completed'): string =>
  line({
    sessionUpdate: 'tool_call_update',
    toolCallId: callId(n),
    status,
    content: [{ type: 'content', content: { type: 'text', text: `${words(n)}\n`.repeat(bytes / 41) } }],
  });
const diff = (n: number, bytes: number): string =>
  line({
    sessionUpdate: 'tool_call_update',
    toolCallId: callId(n),
    status: 'completed',
    content: [
      {
        type: 'diff',
        path: `/workspace/${n}.ts`,
        oldText: `${words(n)}\n`.repeat(bytes / 82),
        newText: `${words(n + 1)}\n`.repeat(bytes / 82),
      },
    ],
  });
const plan = (n: number): string =>
  line({
    sessionUpdate: 'plan',
    entries: Array.from({ length: 6 }, (_, step) => ({
      content: `Step ${step} of ${n}`,
      priority: 'medium',
      status: step < n % 6 ? 'completed' : 'pending',
    })),
  });
const commands = (): string =>
  line({
    sessionUpdate: 'available_commands_update',
    availableCommands: Array.from({ length: 10 }, (_, n) => ({
      name: `command${n}`,
      description: `Does the thing number ${n}`,
      input: { hint: 'what' },
    })),
  });

/** Per thousand, about what a working agent sends; 1.05 KB on average. */
const mixture: readonly (readonly [number, (n: number) => string])[] = [
  [738, small],
  [82, foreign],
  [80, thought],
  [40, (n) => output(n, 4096)],
  [30, toolCall],
  [10, plan],
  [10, commands],
  [9, (n) => diff(n, 32_768)],
  [1, (n) => output(n, 300_000, 'in_progress')],
];

function mixed(n: number): string {
  // 617 and 1000 have no common divisor: every place of a thousand comes once, well shuffled.
  let place = (n * 617) % 1000;
  for (const [share, make] of mixture) {
    if (place < share) return make(n);
    place -= share;
  }
  throw new Error('the shares add up to 1000');
}

const makers: Record<Kind, (n: number) => string> = {
  small,
  mix: mixed,
  '1m': (n) => output(n, 1024 * 1024),
  '32m': (n) => output(n, 32 * 1024 * 1024),
};

/** How many different lines there are before they repeat. */
const variety: Record<Kind, number> = { small: 3000, mix: 3000, '1m': 10, '32m': 1 };

/** Blocks with `count` lines in all. */
export function* blocks(kind: Kind, count: number): Generator<Buffer> {
  const pool = Array.from({ length: Math.min(count, variety[kind]) }, (_, n) => Buffer.from(makers[kind](n)));
  let block: Buffer[] = [];
  let bytes = 0;
  for (let n = 0; n < count; n++) {
    const next = pool[n % pool.length] as Buffer;
    block.push(next);
    bytes += next.length;
    if (bytes >= 64 * 1024 || n === count - 1) {
      yield Buffer.concat(block);
      block = [];
      bytes = 0;
    }
  }
}
