/** A scripted OpenAI chat-completions server on the loopback interface, which agents use as their model provider. */
import { once } from 'node:events';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { type ChatRequest, type Place, chatRequest, placeOf } from './chatRequest.js';
import { type GateBook, type HeldGate, createGates } from './gates.js';
import type { Action, Reply } from './reply.js';
import { replyFor } from './scenarios.js';

export interface RecordedRequest extends Place {
  readonly request: ChatRequest;
  readonly authorization: string;
}

export interface MockModel {
  /** `http://127.0.0.1:PORT/v1` */
  readonly baseUrl: string;
  /** The chat requests so far, in order. */
  readonly requests: readonly RecordedRequest[];
  /** Resolves when a reply stands at gate `name`, or at once if one already does; each held reply is handed out once. */
  held(name: string): Promise<HeldGate>;
  /** The next chat request gets this instead of its scripted reply, once: an outage that a retry overcomes. Several calls queue up. */
  interject(reply: Reply): void;
  close(): Promise<void>;
}

export interface MockModelOptions {
  /** 0, the default, takes a free one. */
  readonly port?: number;
  /** Gates open by themselves after this long: for people who try the model by hand. Absent: only a test opens them. */
  readonly gateDelayMs?: number;
}

export async function startMockModel(options: MockModelOptions = {}): Promise<MockModel> {
  const script: Script = { requests: [], interjections: [], gates: createGates(options.gateDelayMs) };
  const server = createServer((request, response) => {
    serve(request, response, script).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${portOf(server)}/v1`,
    requests: script.requests,
    held: (name) => script.gates.held(name),
    interject: (reply) => void script.interjections.push(reply),
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

interface Script {
  readonly requests: RecordedRequest[];
  readonly interjections: Reply[];
  readonly gates: GateBook;
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return address.port;
}

async function serve(request: IncomingMessage, response: ServerResponse, script: Script): Promise<void> {
  const route = `${request.method ?? ''} ${request.url ?? ''}`;
  if (route === 'GET /v1/models') return sendJson(response, 200, modelList);
  if (route !== 'POST /v1/chat/completions') return sendJson(response, 404, { error: { message: `No such route: ${route}` } });
  const parsed = chatRequest.parse(JSON.parse(await readText(request)));
  const authorization = request.headers.authorization ?? '';
  const place = placeOf(parsed.messages);
  script.requests.push({ ...place, request: parsed, authorization });
  const reply = script.interjections.shift() ?? replyFor(place.scenario, place.step, { request: parsed, authorization });
  await send(response, reply, parsed.model, script.gates);
}

const modelList = {
  object: 'list',
  data: ['mock', 'mock-b'].map((id) => ({ id, object: 'model', created: 1, owned_by: 'mock' })),
};

function sendJson(response: ServerResponse, status: number, body: object, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
}

async function send(response: ServerResponse, reply: Reply, model: string, gates: GateBook): Promise<void> {
  if (reply.type === 'http') return sendJson(response, reply.status, reply.body, reply.headers);
  response.setHeader('Content-Type', 'text/event-stream');
  for (const action of reply.actions) {
    if (response.destroyed) return;
    await perform(response, action, model, gates);
  }
  response.end();
}

async function perform(response: ServerResponse, action: Action, model: string, gates: GateBook): Promise<void> {
  switch (action.type) {
    case 'delta':
      return write(response, frame(model, [{ index: 0, delta: action.delta, finish_reason: null }]));
    case 'finish':
      return write(response, frame(model, [{ index: 0, delta: {}, finish_reason: action.reason }]));
    case 'done':
      await write(response, frame(model, [], { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }));
      return write(response, 'data: [DONE]\n\n');
    case 'raw':
      return write(response, action.text);
    case 'gate':
      return gates.pass(action.name, response);
    case 'reset':
      response.socket?.resetAndDestroy();
      return;
  }
}

async function write(response: ServerResponse, data: string): Promise<void> {
  if (!response.write(data) && !response.destroyed) await Promise.race([once(response, 'drain'), once(response, 'close')]);
}

function frame(model: string, choices: readonly object[], usage?: object): string {
  const chunk = { id: 'c1', object: 'chat.completion.chunk', created: 1, model, choices, ...(usage === undefined ? {} : { usage }) };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}
