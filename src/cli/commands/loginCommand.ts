/** `acp-host login`: signs in to an agent with one of its methods. */
import {
  type AgentDefinition,
  type AgentHost,
  type AuthMethod,
  type CallAsker,
  createAgentHost,
  environmentFor,
  HostError,
  missingKeys,
  Redactor,
  signInInTerminal,
  toHostError,
} from '../../core/index.js';
import { usageError } from '../arguments/optionValues.js';
import type { RequestOf } from '../arguments/parseArguments.js';
import { callAsker } from '../frontEnds/frontEnd.js';
import { keyHint, methodLines, signInCommand } from '../conversation/signIn.js';
import { adviceFor, toCliError } from '../output/errorText.js';
import { ExitCode, exitCodeOfSignal, exitCodeOfStart } from '../output/exitCode.js';
import { oneLine } from '../../text/plainText.js';
import { chooseAgent, commandLineOf } from '../system/agents.js';
import { askLine, readSecrets } from '../system/askOnce.js';
import { existingFolder } from '../system/files.js';
import { onInterrupts } from '../system/interrupts.js';
import { type Io, isInteractive } from '../system/io.js';
import { clientInfo } from '../system/ownPackage.js';

/** @throws HostError `usage`, `agent_not_found` */
export async function runLogin(request: RequestOf<'login'>, io: Io): Promise<number> {
  const cwd = await existingFolder(request.cwd ?? '.');
  const { definition } = await chooseAgent(request.agent, io, cwd);
  return new Login(definition, cwd, io).run(request);
}

class Login {
  readonly #agent: AgentDefinition;
  readonly #cwd: string;
  readonly #io: Io;
  readonly #redactor = new Redactor();
  #host: AgentHost;
  readonly #interrupted = new AbortController();
  /** The agent's own command is using the terminal, and gets what is typed there. */
  #isAway = false;

  constructor(agent: AgentDefinition, cwd: string, io: Io) {
    this.#agent = agent;
    this.#cwd = cwd;
    this.#io = io;
    this.#host = this.#create({});
  }

  async run({ method, signsOut }: RequestOf<'login'>): Promise<number> {
    let interrupted: number | undefined;
    const stop = (signal: NodeJS.Signals): void => {
      // The agent's own command gets Ctrl+C too, and decides what it means.
      if (this.#isAway && signal === 'SIGINT') return;
      interrupted = exitCodeOfSignal(signal);
      this.#interrupted.abort(new HostError('cancelled', { detail: 'The sign-in was interrupted' }));
      void this.#host.stop({ force: true });
    };
    const interrupts = onInterrupts({ interrupt: () => stop('SIGINT'), end: stop });
    try {
      const code = await (signsOut ? this.#signOut() : this.#signIn(method));
      return interrupted ?? code;
    } catch (thrown) {
      const error = toHostError(thrown);
      if (interrupted !== undefined) return interrupted;
      if (error.code === 'usage') throw error;
      this.#explain(error);
      return error.code === 'request_failed' || error.code === 'provider_failed' ? ExitCode.authRequired : exitCodeOfStart(error.code);
    } finally {
      await this.#host.stop();
      this.#host.dispose();
      interrupts.dispose();
    }
  }

  async #signIn(wanted: string | undefined): Promise<number> {
    const { authMethods } = await this.#host.start();
    if (authMethods.length === 0 && wanted === undefined) return this.#withoutMethods();
    const method = await this.#choose(authMethods, wanted);
    const given = method.type === 'terminal' ? await this.#inTerminal(method) : await this.#byAgent(method);
    return given === undefined ? ExitCode.authRequired : this.#verify(method, given);
  }

  async #signOut(): Promise<number> {
    await this.#host.signOut();
    this.#say(`Signed out of ${this.#name}.`);
    return ExitCode.ended;
  }

  async #withoutMethods(): Promise<number> {
    await this.#asking((asker) => this.#host.newSession({ asker }));
    this.#say(`${this.#name} needs no sign-in: it opened a session.`);
    return ExitCode.ended;
  }

  async #choose(methods: readonly AuthMethod[], wanted: string | undefined): Promise<AuthMethod> {
    if (wanted !== undefined) {
      const found = methods.find(({ id }) => id === wanted) ?? methods.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
      if (found !== undefined) return found;
      const offered = methods.length === 0 ? 'It offers none' : `It offers: ${methods.map(({ id }) => id).join(', ')}`;
      throw usageError(`${this.#name} does not offer the way to sign in "${wanted}". ${offered}`);
    }
    const [only, ...others] = methods;
    if (only !== undefined && others.length === 0) return only;
    this.#say(`Ways to sign in to ${this.#name}:\n${methodLines(methods, this.#agent, this.#env).join('\n')}`);
    if (!isInteractive(this.#io)) throw usageError('Choose one with --method ID');
    for (;;) {
      const answer = await askLine(this.#io, `Your choice (1-${methods.length}): `, this.#interrupted.signal);
      if (answer === undefined) throw new HostError('cancelled', { detail: 'You did not choose a way to sign in' });
      const chosen = methods[Number(answer.trim()) - 1];
      if (chosen !== undefined) return chosen;
      this.#say('Not a valid choice.');
    }
  }

  /** @returns undefined if the command failed */
  async #inTerminal(method: Extract<AuthMethod, { type: 'terminal' }>): Promise<NodeJS.ProcessEnv | undefined> {
    if ('url' in this.#agent) throw new HostError('unsupported', { reason: 'sign_in' });
    // The agent reads its saved credentials when it starts.
    await this.#host.stop();
    this.#interrupted.signal.throwIfAborted();
    this.#say(`Running: ${signInCommand(method, this.#agent)}`);
    this.#isAway = true;
    const { signal } = this.#interrupted;
    const code = await signInInTerminal(method, { agent: this.#agent, cwd: this.#cwd, baseEnv: this.#io.env, signal });
    this.#isAway = false;
    signal.throwIfAborted();
    if (code === 0) return {};
    this.#say(`The command ${code === null ? 'was terminated by a signal' : `exited with code ${code}`}, so you are not signed in.`);
    return undefined;
  }

  /** @returns the keys that were entered here; undefined if none were */
  async #byAgent(method: AuthMethod): Promise<NodeJS.ProcessEnv | undefined> {
    const missing = missingKeys(method, this.#env);
    const keys = missing.length === 0 ? {} : await this.#readKeys(method, missing);
    if (keys === undefined) return undefined;
    if (Object.keys(keys).length > 0) await this.#startWith(keys);
    else if (method.type === 'agent' && method.keys === undefined) {
      this.#say(`Waiting for ${this.#name} to sign you in (${oneLine(method.name)}), for example in a browser. Press Ctrl+C to cancel.`);
    }
    // The agent may print a page to open and a code to enter, for example.
    this.#host.onTraffic((entry) => {
      if (entry.kind === 'stderr') this.#say(`  ${oneLine(entry.text, 500)}`);
    });
    await this.#asking((asker) => this.#host.authenticate(method.id, { asker }));
    return keys;
  }

  /** The agent may have questions before it answers. */
  async #asking<T>(call: (asker: CallAsker) => Promise<T>): Promise<T> {
    const asker = callAsker({
      io: this.#io,
      label: this.#name,
      cwd: this.#cwd,
      send: (id, answer) => void this.#host.answer(id, answer),
      onUnanswered: () => this.#say(`${this.#name} has a question: run acp-host login in a terminal to answer it.`),
    });
    try {
      return await call(asker);
    } finally {
      asker.dispose();
    }
  }

  async #readKeys(method: AuthMethod, missing: readonly string[]): Promise<Record<string, string> | undefined> {
    const needsAll = method.type === 'agent' && method.keys?.needs === 'all';
    const names = needsAll ? missing : missing.slice(0, 1);
    const given = await readSecrets(this.#io, names, this.#interrupted.signal);
    for (const key of given) this.#redactor.addSecret(key);
    if (given.length === names.length) return Object.fromEntries(names.map((name, index) => [name, given[index] ?? '']));
    this.#say(`No key was specified. Set ${missing.join(needsAll ? ' and ' : ' or ')} in the environment, or pass the key on stdin.`);
    return undefined;
  }

  async #verify(method: AuthMethod, keys: NodeJS.ProcessEnv, isRestarted = method.type === 'terminal'): Promise<number> {
    try {
      await this.#asking((asker) => this.#host.newSession({ asker }));
    } catch (thrown) {
      const error = toHostError(thrown);
      if (error.code !== 'auth_required') throw error;
      if (!isRestarted) {
        // Some agents read who is signed in only when they start.
        await this.#startWith(keys);
        return this.#verify(method, keys, true);
      }
      this.#explain(error);
      return ExitCode.authRequired;
    }
    this.#say(`Signed in to ${this.#name} with ${oneLine(method.name)}.`);
    const names = Object.keys(keys);
    if (names.length > 0 && !(await this.#isRemembered())) {
      this.#say(`${this.#name} does not save the key: set ${names.join(' and ')} in the environment of acp-host.`);
    } else if (names.length === 0 && method.type === 'agent' && method.keys !== undefined) this.#say(keyHint(method.keys, this.#env));
    return ExitCode.ended;
  }

  /** Whether a process without the key can also open a session. */
  async #isRemembered(): Promise<boolean> {
    await this.#startWith({});
    return this.#host.newSession().then(
      () => true,
      () => false,
    );
  }

  async #startWith(keys: NodeJS.ProcessEnv): Promise<void> {
    await this.#host.stop();
    this.#host.dispose();
    this.#host = this.#create(keys);
    await this.#host.start();
  }

  #create(keys: NodeJS.ProcessEnv): AgentHost {
    return createAgentHost({
      agent: this.#agent,
      cwd: this.#cwd,
      terminalAuth: true,
      baseEnv: { ...this.#io.env, ...keys },
      redactor: this.#redactor,
      clientInfo: clientInfo(),
    });
  }

  get #name(): string {
    return oneLine(this.#host.info?.title ?? this.#host.info?.name ?? this.#agent.label, 60);
  }

  get #env(): NodeJS.ProcessEnv {
    return environmentFor(this.#agent, this.#io.env);
  }

  #explain(error: HostError): void {
    const described = toCliError(error.toData(), this.#name);
    this.#say(`error: ${described.message}`);
    for (const advice of adviceFor(described)) this.#say(`  ${advice}`);
    if (error.code === 'auth_required') this.#say(`  Try another way: acp-host login ${commandLineOf(this.#agent)} --method ID`);
  }

  #say(line: string): void {
    this.#io.stderr.write(`${line}\n`);
  }
}
