/** `acp-host run`: one prompt, one turn. */
import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { type AgentHost, createAgentHost, DisposableStore, HostError, Redactor, type Session, toHostError } from '../core/index.js';
import { choiceOf, type ChosenAgent, chooseAgent } from './agents.js';
import { answerAsks, type Answerer } from './answering.js';
import type { RunRequest } from './arguments.js';
import { ExitCode, exitCodeOfStart, exitCodeOfTurn } from './exitCode.js';
import { onInterrupts } from './interrupts.js';
import { createFrontEnd } from './frontEnd.js';
import { type Io, readAll } from './io.js';
import { newestSession, openJournals } from './journals.js';
import type { Output } from './output.js';
import { packageVersion } from './packageVersion.js';
import { selectMode, selectModel } from './selectors.js';
import { signInAdvice } from './signIn.js';
import { stateFolder } from './stateFolder.js';

/** @throws HostError `usage` and what else is wrong before there is an agent */
export async function runPrompt(request: RunRequest, io: Io): Promise<number> {
  const cwd = await existingFolder(request.cwd ?? '.');
  const journals = openJournals(stateFolder(request.state, io), new Redactor());
  const wanted = request.agent && (await chooseAgent(request.agent, io, cwd));
  const earlier = request.session.type === 'continue' ? await newestSession(journals, cwd, wanted?.definition.id) : undefined;
  const agent = wanted ?? (await chooseAgent(earlier && choiceOf(earlier.agentId), io, cwd));
  const prompt = request.prompt === '-' ? await readAll(io.stdin) : request.prompt;
  if (prompt.trim() === '') throw new HostError('usage', 'The prompt on stdin is empty');
  const run = new Run(request, io, cwd, agent);
  return run.run(prompt, request.session.type === 'id' ? request.session.id : earlier?.sessionId);
}

/** An agent, its session and its turn, from the start to the exit code. */
class Run {
  readonly #request: RunRequest;
  readonly #agent: ChosenAgent;
  readonly #host: AgentHost;
  readonly #output: Output;
  readonly #answerer: Answerer;
  readonly #owned = new DisposableStore();
  readonly #startAbort = new AbortController();
  /** The session whose turn runs. */
  #prompted: Session | undefined;
  /** Set by a signal, or by a reader of stdout that went away: whatever comes then, the run was cancelled. */
  #interruptedWith: number | undefined;
  #killed: (() => void) | undefined;

  constructor(request: RunRequest, io: Io, cwd: string, agent: ChosenAgent) {
    this.#request = request;
    this.#agent = agent;
    const { output, answerer } = createFrontEnd(request, agent.definition, cwd, io);
    const redactor = new Redactor();
    this.#host = createAgentHost({
      agent: agent.definition, cwd, terminalAuth: true, baseEnv: io.env,
      redactor, journals: openJournals(stateFolder(request.state, io), redactor, (error) => output.error(error.toData())),
      clientInfo: { name: 'acp-host-cli', title: 'ACP Host (command line)', version: packageVersion() },
    });
    this.#output = output;
    this.#answerer = answerer;
    this.#owned.add(this.#host);
    this.#owned.add(answerer);
    this.#owned.add(this.#host.onStatus((status) => output.status(status, this.#host.info)));
    this.#owned.add(onInterrupts({ cancel: () => this.#cancel(), kill: (signal) => this.#kill(signal) }));
    // `acp-host run … | head`: nobody reads the rest, so the agent need not go on. Stays to the end: what is written on the way out fails too.
    io.stdout.on('error', () => this.#cancel());
  }

  async run(prompt: string, sessionId: string | undefined): Promise<number> {
    const killed = new Promise<void>((resolve) => (this.#killed = resolve));
    const finished = this.#startAndPrompt(prompt, sessionId);
    const exitCode = await Promise.race([finished, killed.then(() => ExitCode.cancelled)]);
    await this.#host.stop({ force: this.#interruptedWith !== undefined && this.#prompted === undefined });
    this.#owned.dispose();
    await this.#output.end();
    return this.#interruptedWith ?? exitCode;
  }

  async #startAndPrompt(prompt: string, sessionId: string | undefined): Promise<number> {
    let session: Session;
    try {
      session = await this.#open(sessionId);
    } catch (thrown) {
      const error = toHostError(thrown);
      if (this.#interruptedWith === undefined) this.#fail(error);
      return exitCodeOfStart(error.code);
    }
    if (this.#interruptedWith !== undefined) return ExitCode.cancelled;
    this.#prompted = session;
    try {
      const outcome = await session.prompt([{ type: 'text', text: prompt }]);
      if (outcome.type === 'failed' && outcome.error.code === 'auth_required') this.#output.note(this.#signIn());
      return exitCodeOfTurn(outcome);
    } catch (thrown) {
      // The agent went away between the opening of the session and its first turn.
      this.#fail(toHostError(thrown));
      return ExitCode.agentLost;
    }
  }

  async #open(sessionId: string | undefined): Promise<Session> {
    if (this.#agent.isStandIn) this.#output.note('agentao was not found, so the demo agent answers. To install it: uv tool install agentao');
    const info = await this.#host.start(this.#startAbort.signal);
    // Before the first word of the session reaches us: an agent may speak before it is asked.
    this.#owned.add(this.#host.onSession((session) => {
      this.#output.opened(session, info, sessionId === undefined ? 'new' : 'loaded');
      this.#attach(session);
    }));
    const session = sessionId === undefined ? await this.#host.newSession() : await this.#host.loadSession(sessionId);
    if (this.#request.mode !== undefined) await selectMode(session, this.#request.mode);
    if (this.#request.model !== undefined) await selectModel(session, this.#request.model);
    return session;
  }

  #attach(session: Session): void {
    this.#owned.add(session.onUpdate((update) => this.#output.update(session, update)));
    this.#owned.add(session.onEvent((event) => this.#output.event(session, event)));
    this.#owned.add(answerAsks(session, {
      policy: { permission: this.#request.permission, answer: this.#request.answer },
      answerer: this.#answerer,
      onUnusable: (ask) => this.#output.note(`--answer is none that the agent allows for "${ask.kind === 'question' ? ask.question : ask.subject.title}": cancelled`),
    }));
  }

  #fail(error: HostError): void {
    const wantsSignIn = error.code === 'auth_required';
    const data = error.toData();
    const authMethods = this.#host.info?.authMethods ?? [];
    this.#output.error(wantsSignIn ? { ...data, data: { ...data.data, authMethods } } : data, wantsSignIn ? undefined : this.#host.stderrTail());
    if (wantsSignIn) this.#output.note(this.#signIn());
  }

  #signIn(): string {
    return signInAdvice(this.#agent.definition, this.#host.info);
  }

  #cancel(): void {
    this.#interruptedWith ??= ExitCode.cancelled;
    if (this.#prompted) {
      this.#prompted.cancel();
      return;
    }
    this.#startAbort.abort();
    void this.#host.stop({ force: true });
  }

  #kill(signal: NodeJS.Signals): void {
    this.#interruptedWith = signalExitCodes[signal] ?? ExitCode.cancelled;
    void this.#host.stop({ force: true }).then(() => this.#killed?.());
  }
}

/** 128 + the number of the signal, as shells count. */
const signalExitCodes: Partial<Record<NodeJS.Signals, number>> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

/** @throws HostError `usage` */
async function existingFolder(folder: string): Promise<string> {
  const info = await stat(folder).catch(() => undefined);
  if (!info?.isDirectory()) throw new HostError('usage', `--cwd is not a folder: ${path.resolve(folder)}`);
  return realpath(folder);
}
