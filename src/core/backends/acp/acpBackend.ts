/** Connects to an agent that speaks ACP v1 over stdio, as a separate process. */
import { oncePerTask } from '../../base/clock.js';
import { HostError, toHostError } from '../../base/errors.js';
import { isFields } from '../../base/fields.js';
import type { ExitInfo } from '../../node/spawnProcess.js';
import { createRpcPeer } from '../../rpc/connection.js';
import { ErrorCode, type IncomingRequest, type PeerHandlers, RpcError, type RpcPeer } from '../../rpc/peer.js';
import type { AgentBackend, AgentInfo, CloseOptions, ConnectAgent, ConnectOptions, SignInOptions } from '../agentBackend.js';
import type { ConnectionStats } from '../../traffic/trafficItem.js';
import { AgentConnection } from '../agentConnection.js';
import { AcpCalls } from './acpCalls.js';
import { initializeParams, toAgentInfo, toSessionAbilities } from './acpHandshake.js';
import { AcpSavedSessions } from './acpSavedSessions.js';
import { AcpSessions } from './acpSessions.js';
import type { FeatureContext } from './features/feature.js';
import { answerOf, receiverOf } from './features/features.js';
import { isVendorMethod, type VendorMessages } from '../../services/hostServices.js';
import { LeftOut } from '../agentInput.js';
import { acpQuirksOf } from '../../agents/knownAgents.js';
import { parseRpcFailure, requests, vendorRequest } from './schema/methods.js';

export const connectAcp: ConnectAgent = async (options) => {
  const connection = await AgentConnection.open(options);
  const dispatch = new Dispatch(options);
  const peer = createRpcPeer(connection.channel, dispatch.handlers, { log: options.log });
  peer.onClose((error) => {
    dispatch.lose(error);
    connection.lost(error);
  });
  peer.listen();
  const { clientInfo, terminalAuth, services, agent, deadlines, signal, redactor } = options;
  const params = initializeParams(clientInfo, {
    terminalAuth,
    files: services.agentFiles !== undefined,
    isRelayed: services.vendor !== undefined,
  });
  return connection.handshake(
    (async () => {
      const result = await peer.request(requests.initialize, params, {
        timeoutMs: deadlines.initializeMs,
        signal,
        onProgress: connection.onStderr,
      });
      const info = toAgentInfo(result, agent.label);
      const quirks = acpQuirksOf(result.agentInfo);
      const { resumeMethods, forks, close, list, delete: deletes, title, steers, otherFolders } = toSessionAbilities(result, quirks);
      const calls = new AcpCalls({ peer, deadlines, redactor, quirks, authMethods: info.authMethods, isEnded: () => connection.isEnded });
      const clock = oncePerTask(options.clock);
      const sessions = new AcpSessions({
        ...options,
        clock,
        calls,
        info,
        quirks,
        resumeMethods,
        forks,
        isClosable: close,
        saved: list ? new AcpSavedSessions({ calls, clock, deletes }) : undefined,
        isRenamable: title,
        steers,
        takesOtherFolders: otherFolders,
        report: dispatch.report,
      });
      dispatch.attach(sessions, calls);
      connection.watch({
        sessions: () => sessions,
        hint: (line) => quirks.retryIn(line),
        // JSON-RPC makes every agent answer an unknown method with -32601, and no agent does anything else for it.
        probe: () => peer.request(requests.probe, {}, { timeoutMs: deadlines.queryMs }),
      });
      return new AcpBackend({ connection, peer, calls, sessions, info, counts: () => dispatch.counts });
    })(),
    () => peer.firstMisfit,
  );
};

/** Passes requests and notifications of the agent to the features. Before the handshake, there are no features to pass them to. */
class Dispatch {
  readonly handlers: PeerHandlers;
  readonly #options: ConnectOptions;
  readonly #leftOut: LeftOut;
  #context: FeatureContext | undefined;
  #lost = 0;

  constructor(options: ConnectOptions) {
    this.#options = options;
    this.#leftOut = new LeftOut(options.log);
    this.handlers = {
      onRequest: (request) => this.#answer(request),
      isRequest: (method) => answerOf(method) !== undefined,
      onNotification: (method, params) => this.#receive(method, params),
    };
  }

  readonly report = (problem: string, isLost = false): void => {
    this.#leftOut.report(problem);
    if (isLost) this.#lost++;
  };

  /** Messages of unknown kinds, and those of known kinds that could not be read. */
  get counts(): { readonly leftOut: number; readonly lost: number } {
    return { leftOut: this.#leftOut.count - this.#lost, lost: this.#lost };
  }

  /** Call this when the connection has ended. */
  lose(error: HostError): void {
    this.#context?.sessions.lose(error);
  }

  attach(sessions: AcpSessions, calls: AcpCalls): void {
    const { services, clock, log, baseEnv: environment } = this.#options;
    this.#context = {
      services,
      clock,
      log,
      environment,
      sessions,
      pages: new Set(),
      report: this.report,
      callOf: (requestId) => calls.find(requestId),
      sessionOf: (sessionId) => sessions.whenOpen(sessionId),
    };
  }

  /** @returns a promise that the reader counts as backlog if the consumer is full */
  #receive(method: string, params: unknown): Promise<void> | undefined {
    const receive = receiverOf(method);
    const { vendor } = this.#options.services;
    if (receive !== undefined && this.#context !== undefined) receive(this.#context, params);
    else if (receive === undefined && isVendorMethod(method) && vendor !== undefined) vendor.notify(method, params);
    else this.report(`notification ${method}`);
    return this.#options.whenDrained?.();
  }

  async #answer({ method, params, signal }: IncomingRequest): Promise<unknown> {
    const answer = answerOf(method);
    if (answer !== undefined && this.#context !== undefined) return answer(this.#context, params, signal);
    const { vendor } = this.#options.services;
    if (answer === undefined && isVendorMethod(method) && vendor !== undefined) return askVendor(vendor.request(method, params, signal));
    this.report(`request ${method}`);
    throw new RpcError(ErrorCode.methodNotFound, 'Method not found', { method });
  }
}

/** @throws RpcError the answer of the one who was asked */
async function askVendor(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (thrown) {
    const { code, params } = toHostError(thrown);
    const failure = parseRpcFailure(params);
    if (failure !== undefined) throw new RpcError(failure.code, failure.message, params.data);
    throw code === 'cancelled' ? new RpcError(ErrorCode.requestCancelled, 'The request was canceled') : thrown;
  }
}

interface AcpBackendParts {
  readonly connection: AgentConnection;
  readonly peer: RpcPeer;
  readonly calls: AcpCalls;
  readonly sessions: AcpSessions;
  readonly info: AgentInfo;
  readonly counts: () => Dispatch['counts'];
}

class AcpBackend implements AgentBackend {
  readonly info: AgentInfo;
  readonly sessions: AcpSessions;
  readonly authenticate?: NonNullable<AgentBackend['authenticate']>;
  readonly signOut?: () => Promise<void>;
  readonly vendor: VendorMessages = {
    request: (method, params, signal) => this.#parts.peer.request(vendorRequest(method), params, { signal }),
    notify: (method, params) => void this.#parts.peer.notify(method, isFields(params) ? params : {}).catch(() => {}),
  };
  readonly #parts: AcpBackendParts;

  constructor(parts: AcpBackendParts) {
    this.#parts = parts;
    this.info = parts.info;
    this.sessions = parts.sessions;
    if (parts.info.authMethods.some(({ type }) => type === 'agent')) this.authenticate = (methodId, o) => this.#authenticate(methodId, o);
    const { calls } = parts;
    if (parts.info.signsOut === true) this.signOut = () => calls.request(requests.logout, {}, { timeoutMs: calls.deadlines.queryMs });
  }

  get onClosed(): AgentBackend['onClosed'] {
    return this.#parts.connection.onClosed;
  }

  get stats(): ConnectionStats {
    const { timeouts, noiseLines, invalidMessages, unknownResponses, pauses } = this.#parts.peer.stats;
    const { leftOut, lost } = this.#parts.counts();
    return { timeouts, noiseLines, invalidMessages: invalidMessages + lost, unknownResponses, pauses, leftOut };
  }

  async #authenticate(methodId: string, { signal, requestUser: asker }: SignInOptions = {}): Promise<void> {
    const method = this.info.authMethods.find((known) => known.id === methodId);
    if (method === undefined) throw new HostError('usage', { reason: 'sign_in_unknown', methodId });
    if (method.type === 'terminal') throw new HostError('usage', { reason: 'sign_in_in_terminal', methodId });
    await this.#parts.calls.request(requests.authenticate, { methodId }, { ...(signal && { signal }), asker });
  }

  async close(o: CloseOptions = {}): Promise<ExitInfo | undefined> {
    const exit = await this.#parts.connection.close(o);
    this.#parts.peer.dispose();
    await Promise.all(this.#parts.sessions.terminals.map((terminals) => terminals.settled()));
    return exit;
  }
}
