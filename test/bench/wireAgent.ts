/**
 * The agent at the other end of the benchmark, which is never the bottleneck. `session/prompt` with the text "KIND COUNT" streams that many
 * updates, then ends the turn; other requests are answered between two blocks of the stream. `pause N` stops reading for N milliseconds,
 * once.
 */
import { type Kind, blocks } from './wireMessages.js';

interface Request {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { readonly prompt?: readonly { readonly text: string }[]; readonly ms?: number };
}

const results: Record<string, object> = {
  initialize: { protocolVersion: 1, agentCapabilities: {}, agentInfo: { name: 'flood', version: '1.0.0' }, authMethods: [] },
  'session/new': {
    sessionId: 's1',
    modes: {
      currentModeId: 'a',
      availableModes: [
        { id: 'a', name: 'A' },
        { id: 'b', name: 'B' },
      ],
    },
  },
};

let answers: string[] = [];
let streaming = false;

function write(bytes: string | Buffer): Promise<void> | undefined {
  return process.stdout.write(bytes) ? undefined : new Promise((resolve) => process.stdout.once('drain', resolve));
}

function writeAnswers(): void {
  if (answers.length === 0) return;
  const text = answers.join('');
  answers = [];
  process.stdout.write(text);
}

function answer(id: Request['id'], result: object): void {
  answers.push(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${JSON.stringify(result)}}\n`);
  if (!streaming) setImmediate(writeAnswers);
}

async function stream(id: Request['id'], kind: Kind, count: number): Promise<void> {
  streaming = true;
  for (const block of blocks(kind, count)) {
    // Also where the pipe has room, so that requests are read.
    await (write(block) ?? new Promise((resolve) => setImmediate(resolve)));
    writeAnswers();
  }
  streaming = false;
  answer(id, { stopReason: 'end_turn' });
}

function receive({ id, method, params }: Request): void {
  if (method === 'session/prompt') {
    const [kind = 'small', count = '0'] = (params?.prompt?.[0]?.text ?? '').split(' ');
    void stream(id, kind as Kind, Number(count));
  } else if (method === 'pause') {
    process.stdin.pause();
    setTimeout(() => process.stdin.resume(), params?.ms ?? 0);
  } else if (id !== undefined) answer(id, results[method] ?? {});
}

let rest = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk: string) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) receive(JSON.parse(line) as Request);
});
process.stdin.on('end', () => process.exit(0));
