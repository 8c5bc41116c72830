/** The scripted model as a server on the loopback interface, for agents of four providers. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { anthropic } from './anthropic.js';
import { gemini } from './gemini.js';
import { openAiChat } from './openAiChat.js';
import { openAiResponses } from './openAiResponses.js';
import { sendJson } from './reply.js';
import type { ModelRequest } from './request.js';
import { replyTo } from './script.js';

const dialects = [openAiChat, openAiResponses, anthropic, gemini];

export interface ScriptedModel {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  /** The requests of the agents, in order. */
  readonly requests: readonly ModelRequest[];
  close(): Promise<void>;
}

export async function startScriptedModel(): Promise<ScriptedModel> {
  const requests: ModelRequest[] = [];
  const server = createServer((request, response) => {
    serve(request, response, requests).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return {
    origin: `http://127.0.0.1:${address.port}`,
    requests,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function serve(request: IncomingMessage, response: ServerResponse, requests: ModelRequest[]): Promise<void> {
  const { method, url = '' } = request;
  if (method === 'GET' && url.includes('/models')) return sendJson(response, 200, modelList);
  if (method === 'POST' && /count_?tokens/i.test(url)) return sendJson(response, 200, { input_tokens: 10, totalTokens: 10 });
  const dialect = method === 'POST' ? dialects.find(({ route }) => route.test(url)) : undefined;
  if (dialect === undefined) return sendJson(response, 404, { error: { message: `No such route: ${method ?? ''} ${url}` } });
  const parsed = dialect.parse(JSON.parse(await readText(request)), url);
  requests.push(parsed);
  await dialect.send(response, replyTo(parsed), parsed);
}

const modelList = {
  object: 'list',
  data: ['mock-1', 'mock-2'].map((id) => ({ id, object: 'model', created: 1, owned_by: 'scripted' })),
};
