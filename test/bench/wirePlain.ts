/** (a) Only splits and parses; (b) the minimum of a client: dispatches by shape, and passes answers to the callers. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Client } from './wireClient.js';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: unknown;
}

export function startAgent([command = '', ...args]: readonly string[]): ChildProcessByStdio<Writable, Readable, null> {
  return spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
}

/** Calls back with each line of the stream, parsed. */
function parseLines(source: Readable, onMessage: (message: Message) => void): void {
  let rest: Buffer[] = [];
  source.on('data', (chunk: Buffer) => {
    let start = 0;
    for (let lf = chunk.indexOf(10); lf !== -1; lf = chunk.indexOf(10, start)) {
      if (rest.length === 0) onMessage(JSON.parse(chunk.toString('utf8', start, lf)) as Message);
      else {
        rest.push(chunk.subarray(start, lf));
        onMessage(JSON.parse(Buffer.concat(rest).toString('utf8')) as Message);
        rest = [];
      }
      start = lf + 1;
    }
    if (start < chunk.length) rest.push(chunk.subarray(start));
  });
}

const setUp: readonly (readonly [string, object])[] = [
  ['initialize', { protocolVersion: 1, clientCapabilities: {} }],
  ['session/new', { cwd: '/', mcpServers: [] }],
];

function promptParams(text: string): object {
  return { sessionId: 's1', prompt: [{ type: 'text', text }] };
}

export const parseOnly: Client = {
  async open(agent, onUpdate) {
    const child = startAgent(agent);
    let wanted = -1;
    let found = (): void => {};
    let lastId = 0;
    parseLines(child.stdout, (message) => {
      if (message.id === wanted) found();
      else void onUpdate();
    });
    const ask = (method: string, params: object): Promise<void> =>
      new Promise((resolve) => {
        wanted = ++lastId;
        found = resolve;
        child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: wanted, method, params })}\n`);
      });
    for (const [method, params] of setUp) await ask(method, params);
    return { prompt: (text) => ask('session/prompt', promptParams(text)), close: () => child.kill() };
  },
};

export const bareDispatcher: Client = {
  async open(agent, onUpdate) {
    const child = startAgent(agent);
    const pending = new Map<number, (result: unknown) => void>();
    let lastId = 0;
    parseLines(child.stdout, (message) => {
      if (message.method !== undefined) void onUpdate();
      else if (message.id !== undefined) {
        pending.get(message.id)?.(message.result);
        pending.delete(message.id);
      }
    });
    const request = (method: string, params: object): Promise<unknown> =>
      new Promise((resolve) => {
        pending.set(++lastId, resolve);
        child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params })}\n`);
      });
    for (const [method, params] of setUp) await request(method, params);
    return {
      prompt: (text) => request('session/prompt', promptParams(text)),
      probe: (n) => request('session/set_mode', { sessionId: 's1', modeId: n % 2 === 0 ? 'a' : 'b' }),
      close: () => child.kill(),
    };
  },
};
