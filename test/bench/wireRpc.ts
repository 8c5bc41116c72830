/** (d) vscode-jsonrpc 10 with a minimal reader and writer for JSON lines. */
import type { Readable, Writable } from 'node:stream';
import {
  AbstractMessageReader,
  AbstractMessageWriter,
  type DataCallback,
  type Disposable,
  type Message,
  type MessageWriter,
  ParameterStructures,
  createMessageConnection,
} from 'vscode-jsonrpc/node';
import type { Client } from './wireClient.js';
import { startAgent } from './wirePlain.js';

class LineReader extends AbstractMessageReader {
  readonly #source: Readable;

  constructor(source: Readable) {
    super();
    this.#source = source;
  }

  listen(callback: DataCallback): Disposable {
    let rest: Buffer[] = [];
    this.#source.on('data', (chunk: Buffer) => {
      let start = 0;
      for (let lf = chunk.indexOf(10); lf !== -1; lf = chunk.indexOf(10, start)) {
        rest.push(chunk.subarray(start, lf));
        callback(JSON.parse((rest.length === 1 ? (rest[0] as Buffer) : Buffer.concat(rest)).toString('utf8')) as Message);
        rest = [];
        start = lf + 1;
      }
      if (start < chunk.length) rest.push(chunk.subarray(start));
    });
    return { dispose: () => {} };
  }
}

class LineWriter extends AbstractMessageWriter implements MessageWriter {
  readonly #sink: Writable;

  constructor(sink: Writable) {
    super();
    this.#sink = sink;
  }

  write(message: Message): Promise<void> {
    return new Promise((resolve, reject) =>
      this.#sink.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve())),
    );
  }

  end(): void {
    this.#sink.end();
  }
}

export const plainRpc: Client = {
  async open(agent, onUpdate) {
    const child = startAgent(agent);
    const connection = createMessageConnection(new LineReader(child.stdout), new LineWriter(child.stdin));
    connection.onNotification('session/update', () => onUpdate());
    connection.listen();
    const request = (method: string, params: object): Promise<unknown> =>
      connection.sendRequest(method, ParameterStructures.byName, params);
    await request('initialize', { protocolVersion: 1, clientCapabilities: {} });
    await request('session/new', { cwd: '/', mcpServers: [] });
    return {
      prompt: (text) => request('session/prompt', { sessionId: 's1', prompt: [{ type: 'text', text }] }),
      probe: (n) => request('session/set_mode', { sessionId: 's1', modeId: n % 2 === 0 ? 'a' : 'b' }),
      request: (params) => request('session/set_mode', params),
      notify: (method, params) => void connection.sendNotification(method, ParameterStructures.byName, params),
      stdinBuffer: () => child.stdin.writableLength,
      close: () => child.kill(),
    };
  },
};
