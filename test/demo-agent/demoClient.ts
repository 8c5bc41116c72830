/** A client based on the official SDK with the demo agent as a real process: a second opinion besides our own host. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import {
  client,
  type ClientCapabilities,
  type ClientConnection,
  type ListSessionsResponse,
  type LoadSessionResponse,
  ndJsonStream,
  type NewSessionResponse,
  type PromptResponse,
  type RequestPermissionRequest,
  type SessionUpdate,
  type StopReason,
} from '@agentclientprotocol/sdk';
import { demoAgentProgram } from '../cli/programs.js';

export const allCapabilities: ClientCapabilities = { session: { configOptions: { boolean: {} }, notices: {}, compaction: {} } };

/** Updates and questions of the agent, in order of arrival. */
export class DemoClient {
  readonly updates: SessionUpdate[] = [];
  readonly permissions: RequestPermissionRequest[] = [];
  readonly questions: unknown[] = [];
  /** Returns the option for each permission, or `cancelled`. A pending promise leaves the permission open. */
  permit: (request: RequestPermissionRequest) => string | Promise<string> = () => 'cancelled';
  answer: (question: unknown) => unknown = () => ({ outcome: 'cancelled' });
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #connection: ClientConnection;
  readonly #watchers = new Set<() => void>();

  private constructor(child: ChildProcessByStdio<Writable, Readable, null>) {
    this.child = child;
    this.#connection = client({ name: 'test' })
      // Comes first, because otherwise the SDK may resolve a prompt before its last updates are handled.
      .onNotification('session/update', ({ params }) => {
        this.updates.push(params.update);
        for (const watcher of [...this.#watchers]) watcher();
      })
      .onRequest('session/request_permission', async ({ params }) => {
        this.permissions.push(params);
        const answer = await this.permit(params);
        return { outcome: answer === 'cancelled' ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: answer } };
      })
      .onRequest(
        '_agentao.cn/ask_user',
        (params: unknown) => params,
        ({ params }) => {
          this.questions.push(params);
          return this.answer(params);
        },
      )
      .connect(ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>));
  }

  static async start(state: string, capabilities: ClientCapabilities = allCapabilities): Promise<DemoClient> {
    const child = spawn(process.execPath, [demoAgentProgram], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { ...process.env, ACP_HOST_DEMO_STATE: state, ACP_HOST_DEMO_PACE_MS: '1' },
    });
    const demo = new DemoClient(child);
    await demo.#connection.agent.request('initialize', { protocolVersion: 1, clientCapabilities: capabilities });
    return demo;
  }

  newSession(cwd: string): Promise<NewSessionResponse> {
    return this.#connection.agent.request('session/new', { cwd, mcpServers: [] });
  }

  loadSession(sessionId: string, cwd: string): Promise<LoadSessionResponse> {
    return this.#connection.agent.request('session/load', { sessionId, cwd, mcpServers: [] });
  }

  listSessions(params: { readonly cwd?: string; readonly cursor?: string }): Promise<ListSessionsResponse> {
    return this.#connection.agent.request('session/list', params);
  }

  deleteSession(sessionId: string): Promise<unknown> {
    return this.#connection.agent.request('session/delete', { sessionId });
  }

  prompt(sessionId: string, text: string): Promise<PromptResponse> {
    return this.#connection.agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
  }

  cancel(sessionId: string): Promise<void> {
    return this.#connection.agent.notify('session/cancel', { sessionId });
  }

  setMode(sessionId: string, modeId: string): Promise<unknown> {
    return this.#connection.agent.request('session/set_mode', { sessionId, modeId });
  }

  setOption(sessionId: string, configId: string, value: string | boolean): Promise<unknown> {
    return this.#connection.agent.request(
      'session/set_config_option',
      typeof value === 'boolean' ? { sessionId, configId, type: 'boolean', value } : { sessionId, configId, value },
    );
  }

  /** Resolves with the first matching update, including earlier ones. */
  update(wanted: (update: SessionUpdate) => boolean): Promise<SessionUpdate> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = this.updates.find(wanted);
        if (!found) return;
        this.#watchers.delete(look);
        resolve(found);
      };
      this.#watchers.add(look);
      look();
    });
  }

  /** Runs a turn. @returns the output of the agent since the last call, and the stop reason */
  async turn(
    sessionId: string,
    text: string,
  ): Promise<{ readonly said: string; readonly stopReason: StopReason; readonly updates: readonly SessionUpdate[] }> {
    const before = this.updates.length;
    const { stopReason } = await this.prompt(sessionId, text);
    const updates = this.updates.slice(before);
    return { said: textOf(updates), stopReason, updates };
  }

  /** @returns the exit code */
  async end(): Promise<number | null> {
    const exited = this.child.exitCode === null && this.child.signalCode === null ? once(this.child, 'exit') : undefined;
    this.child.stdin.end();
    await exited;
    return this.child.exitCode;
  }
}

export function textOf(updates: readonly SessionUpdate[], kind: SessionUpdate['sessionUpdate'] = 'agent_message_chunk'): string {
  return updates
    .map((update) =>
      update.sessionUpdate === kind && 'content' in update && update.content && 'type' in update.content && update.content.type === 'text'
        ? update.content.text
        : '',
    )
    .join('');
}

export interface DemoPlace {
  /** Real, absolute. */
  readonly workspace: string;
  readonly state: string;
  /** A file beside the workspace, which the agent must not read or write. */
  readonly outside: string;
  remove(): Promise<void>;
}

export async function makeDemoPlace(): Promise<DemoPlace> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'acp-host-demo-')));
  const workspace = await mkdtemp(path.join(folder, 'workspace-'));
  const outside = path.join(folder, 'outside.txt');
  await writeFile(outside, 'secret\n');
  await writeFile(path.join(workspace, 'a.txt'), 'one\ntwo\nthree\n');
  return {
    workspace,
    outside,
    state: path.join(folder, 'state'),
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}
