/** A client based on the SDK, with a session of an agent that does what a test says. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import {
  type AnyMessage,
  client,
  type ClientCapabilities,
  type CreateElicitationRequest,
  methods,
  type RequestPermissionRequest,
  type SessionUpdate,
  type Stream,
} from '@agentclientprotocol/sdk';
import { nullLogger, type UserAnswer } from '../../src/core/index.js';
import { serveAsAcp, type Serving } from '../../src/serve/serveAsAcp.js';
import { zSessionNotification } from '../../node_modules/@agentclientprotocol/sdk/dist/v1/schema/zod.gen.js';
import { type Script, type Scripted, scriptedBackend } from './scriptedBackend.js';

export const everything: ClientCapabilities = {
  session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
  auth: { terminal: true },
  elicitation: { form: {}, url: {} },
};

export interface Wired {
  readonly serving: Serving;
  readonly scripted: () => Scripted;
  readonly updates: readonly SessionUpdate[];
  readonly permissions: readonly RequestPermissionRequest[];
  readonly elicitations: readonly CreateElicitationRequest[];
  /** The ids of pages that the agent reported as done. */
  readonly completed: readonly string[];
  request(method: string, params: object): Promise<never>;
  cancel(): void;
  prompt(words: string): Promise<{ readonly stopReason: string }>;
}

export interface Wiring {
  readonly turn?: (words: string, script: Script) => Promise<{ readonly stopReason: 'end_turn' | 'cancelled' }>;
  readonly capabilities?: ClientCapabilities;
  readonly choose?: (request: RequestPermissionRequest) => Promise<string | undefined> | string | undefined;
  readonly elicit?: (request: CreateElicitationRequest) => object;
  readonly backend?: Parameters<typeof scriptedBackend>[2];
}

/** Connects a client with a session. Everything that it gets is validated with the official schema. */
export async function wire(t: TestContext, o: Wiring): Promise<Wired> {
  const [ours, theirs] = streams();
  let scripted: Scripted | undefined;
  const serving = serveScripted(ours, o, (one) => (scripted = one));
  const updates: SessionUpdate[] = [];
  const permissions: RequestPermissionRequest[] = [];
  const elicitations: CreateElicitationRequest[] = [];
  const completed: string[] = [];
  const connection = client({ name: 'test' })
    .onNotification(methods.client.session.update, ({ params }) => {
      zSessionNotification.parse(params);
      updates.push(params.update);
    })
    .onRequest(methods.client.session.requestPermission, async ({ params }) => {
      permissions.push(params);
      const optionId = await o.choose?.(params);
      return { outcome: optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } };
    })
    .onRequest(methods.client.elicitation.create, ({ params }) => {
      elicitations.push(params);
      return (o.elicit?.(params) ?? { action: 'cancel' }) as { action: 'cancel' };
    })
    .onNotification(methods.client.elicitation.complete, ({ params }) => void completed.push(params.elicitationId))
    .connect(theirs);
  t.after(() => connection.close());
  const request = (method: string, params: object): Promise<never> => connection.agent.request(method, params);
  await request('initialize', { protocolVersion: 1, clientCapabilities: o.capabilities ?? {} });
  await request('session/new', { cwd: '/', mcpServers: [] });
  return {
    serving,
    updates,
    permissions,
    elicitations,
    completed,
    request,
    cancel: () => void connection.agent.notify(methods.agent.session.cancel, { sessionId: 'one' }),
    scripted: () => scripted ?? assert.fail('nothing was connected to'),
    prompt: (words) => request('session/prompt', { sessionId: 'one', prompt: [{ type: 'text', text: words }] }),
  };
}

/** Serves an agent that does what a test says. */
export function serveScripted(
  stream: Stream,
  { turn = async () => ({ stopReason: 'end_turn' }), backend }: Pick<Wiring, 'turn' | 'backend'>,
  connected: (scripted: Scripted) => void = () => {},
): Serving {
  return serveAsAcp({
    stream,
    label: 'Scripted',
    cwd: '/',
    version: '1',
    log: nullLogger,
    signInArguments: (id) => ['--sign-in', id],
    async connect(services) {
      const scripted = scriptedBackend(services, turn, backend);
      connected(scripted);
      return scripted.backend;
    },
  });
}

export function streams(): readonly [Stream, Stream] {
  const there = new TransformStream<AnyMessage, AnyMessage>();
  const back = new TransformStream<AnyMessage, AnyMessage>();
  return [
    { readable: there.readable, writable: back.writable },
    { readable: back.readable, writable: there.writable },
  ];
}

/** A turn that sends a request, and the answers to it. */
export function asking(
  ...[request]: Parameters<Script['ask']>
): Required<Pick<Wiring, 'turn'>> & { readonly answers: readonly UserAnswer[] } {
  const answers: UserAnswer[] = [];
  return {
    answers,
    async turn(_, { ask }) {
      answers.push(await ask(request));
      return { stopReason: 'end_turn' };
    },
  };
}
