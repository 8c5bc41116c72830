/**
 * An editor based on the SDK, connected to an ACP agent that is a process. Everything that the agent sends is validated with the official
 * schema.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import type { TestContext } from 'node:test';
import {
  type AnyMessage,
  client,
  type ClientCapabilities,
  type CreateElicitationRequest,
  methods,
  ndJsonStream,
  type RequestPermissionRequest,
  type SessionConfigOption,
  type SessionNotification,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import {
  zCreateElicitationRequest,
  zInitializeResponse,
  zLoadSessionResponse,
  zNewSessionResponse,
  zPromptResponse,
  zRequestPermissionRequest,
  zSessionNotification,
  zSetSessionConfigOptionResponse,
} from '../../node_modules/@agentclientprotocol/sdk/dist/v1/schema/zod.gen.js';
import { collect, type Seen } from '../backends/seam.js';
import { within } from '../real/deadline.js';

export interface SdkClientOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly capabilities?: ClientCapabilities;
  /** Returns the id of an option, or undefined to dismiss the request. Default: the first option that allows once. */
  readonly choose?: (request: RequestPermissionRequest) => Promise<string | undefined> | string | undefined;
  readonly elicit?: (request: CreateElicitationRequest) => object;
}

interface Opened {
  readonly sessionId: string;
  readonly configOptions?: SessionConfigOption[] | null;
  readonly _meta?: Readonly<Record<string, unknown>> | null;
}

interface Prompted {
  readonly stopReason: string;
}

export interface SdkClient {
  readonly updates: Seen<SessionUpdate>;
  readonly permissions: Seen<RequestPermissionRequest>;
  readonly elicitations: Seen<CreateElicitationRequest>;
  /** The pid of the agent's process. */
  readonly pid: number;
  initialize(): Promise<{ readonly agentCapabilities?: { readonly loadSession?: boolean } }>;
  open(): Promise<Opened>;
  load(sessionId: string): Promise<void>;
  prompt(sessionId: string, text: string, meta?: object): Promise<Prompted>;
  setOption(sessionId: string, configId: string, value: string): Promise<readonly SessionConfigOption[]>;
  cancel(sessionId: string): void;
  request(method: string, params: object): Promise<never>;
  /** Closes stdin. */
  leave(): void;
  ended(): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
}

/** Starts the agent. Its process ends with the test. */
export function connectSdkClient(t: TestContext, o: SdkClientOptions): SdkClient {
  const { command, args, cwd, env, capabilities = {}, elicit = () => ({ action: 'cancel' }) } = o;
  const choose = o.choose ?? (({ options }) => options.find(({ kind }) => kind === 'allow_once')?.optionId);
  const child = spawn(command, args, { cwd, env });
  t.after(() => void child.kill('SIGKILL'));
  const closed = once(child, 'close');
  let [stdout, stderr] = ['', ''];
  child.stderr.on('data', (chunk) => (stderr += String(chunk)));
  const updates = collect<SessionUpdate>();
  const permissions = collect<RequestPermissionRequest>();
  const elicitations = collect<CreateElicitationRequest>();
  child.stdout.on('data', (chunk) => (stdout += String(chunk)));
  const wire = ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>);
  // Read from the wire, because the SDK drops what it does not know.
  const seen = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      if ('method' in message && message.method === methods.client.session.update) {
        zSessionNotification.parse(message.params);
        updates.add((message.params as SessionNotification).update);
      }
      controller.enqueue(message);
    },
  });
  const connection = client({ name: 'test' })
    .onNotification(methods.client.session.update, () => {})
    .onRequest(methods.client.session.requestPermission, async ({ params }) => {
      zRequestPermissionRequest.parse(params);
      permissions.add(params);
      const optionId = await choose(params);
      return { outcome: optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } };
    })
    .onRequest(methods.client.elicitation.create, ({ params }) => {
      zCreateElicitationRequest.parse(params);
      elicitations.add(params);
      return elicit(params) as { action: 'cancel' };
    })
    .connect({ readable: wire.readable.pipeThrough(seen), writable: wire.writable });
  const request = (method: string, params: object): Promise<never> =>
    within<never>(connection.agent.request<never>(method, params), `answer to ${method}`, () => stderr);
  const { session } = methods.agent;
  return {
    updates,
    permissions,
    elicitations,
    request,
    pid: child.pid ?? 0,
    async initialize() {
      const clientInfo = { name: 'sdk-client', version: '0.0.0' };
      return zInitializeResponse.parse(
        await request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: capabilities, clientInfo }),
      );
    },
    async open() {
      const opened: Opened = await request(session.new, { cwd, mcpServers: [] });
      zNewSessionResponse.parse(opened);
      return opened;
    },
    async load(sessionId) {
      zLoadSessionResponse.parse(await request(session.load, { sessionId, cwd, mcpServers: [] }));
    },
    async prompt(sessionId, text, meta = {}) {
      const answer: Prompted = await request(session.prompt, { sessionId, prompt: [{ type: 'text', text }], ...meta });
      zPromptResponse.parse(answer);
      return answer;
    },
    async setOption(sessionId, configId, value) {
      const answer: { readonly configOptions: readonly SessionConfigOption[] } = await request(session.setConfigOption, {
        sessionId,
        configId,
        value,
      });
      zSetSessionConfigOptionResponse.parse(answer);
      return answer.configOptions;
    },
    cancel: (sessionId) => void connection.agent.notify(session.cancel, { sessionId }),
    leave: () => void child.stdin.end(),
    async ended() {
      const [code] = (await within(closed, 'end of the process')) as [number | null];
      return { code, stdout, stderr };
    },
  };
}

/** Returns the text of all messages with one role. */
export function wordsOf(
  updates: readonly SessionUpdate[],
  role: 'agent_message' | 'agent_thought' | 'user_message' = 'agent_message',
): string {
  const name = `${role}_chunk` as const;
  return updates.map((update) => (update.sessionUpdate === name && update.content.type === 'text' ? update.content.text : '')).join('');
}
