/** Signs in without a front end: with an existing key, or with a command in the user's terminal. */
import { type AgentDefinition, environmentFor, type ProcessDefinition } from '../agents/agentDefinition.js';
import type { AgentBackend, AgentInfo, AuthMethod, BackendSessions } from '../backends/agentBackend.js';
import { HostError, toHostError } from '../base/errors.js';
import { commandNotFound, launchWith, resolveLaunch } from '../node/resolveCommand.js';
import { runInTerminal } from '../node/terminalCommand.js';

/** A way to sign in that runs a command in an interactive terminal. */
export type TerminalMethod = Extract<AuthMethod, { readonly type: 'terminal' }>;

/** The variables that a method needs and that are not set; also empty if it uses no key. */
export function missingKeys(method: AuthMethod, env: NodeJS.ProcessEnv): readonly string[] {
  if (method.type !== 'agent' || method.keys === undefined) return [];
  const { names, needs } = method.keys;
  const missing = names.filter((name) => (env[name] ?? '').trim() === '');
  return needs === 'any' && missing.length < names.length ? [] : missing;
}

/** The only method that can work without the user, because its keys are in the environment of the agent. */
function methodByKey({ authMethods }: Pick<AgentInfo, 'authMethods'>, env: NodeJS.ProcessEnv): AuthMethod | undefined {
  const able = authMethods.filter(
    (method) => method.type === 'agent' && method.keys !== undefined && missingKeys(method, env).length === 0,
  );
  return able.length === 1 ? able[0] : undefined;
}

/** Agents that were signed in in this way or signed out: a key that doesn't help, or that the user left, is not sent again. */
const signedIn = new WeakSet<AgentBackend>();

export interface KeySignIn {
  readonly sessions: BackendSessions;
  /** Some agents ask for a sign-in only when they get a prompt. @throws HostError the failure, if no key can resolve it */
  signIn(failure: HostError): Promise<void>;
}

/** The sessions of an agent, which may need an instruction to use the key that it has. @param env of the agent */
export function withKeySignIn(backend: AgentBackend, env: NodeJS.ProcessEnv): KeySignIn {
  const { sessions } = backend;
  const { resumeMethods, forks, saved, rename } = sessions;
  const withKey = async <T>(call: () => Promise<T>): Promise<T> => {
    try {
      return await call();
    } catch (thrown) {
      await signIn(backend, env, toHostError(thrown));
      return call();
    }
  };
  const remove = saved?.remove?.bind(saved);
  return {
    signIn: (failure) => signIn(backend, env, failure),
    sessions: {
      resumeMethods,
      ...(forks !== undefined && { forks }),
      open: (request, sink) => withKey(() => sessions.open(request, sink)),
      ...(saved !== undefined && {
        saved: {
          list: (o) => withKey(() => saved.list(o)),
          ...(remove !== undefined && { remove: (sessionId: string) => withKey(() => remove(sessionId)) }),
        },
      }),
      ...(rename !== undefined && { rename: (sessionId: string, title: string) => withKey(() => rename(sessionId, title)) }),
    },
  };
}

/** @throws HostError the failure, if no key can resolve it; `detail` of `auth_required` says why the key did not help */
async function signIn(backend: AgentBackend, env: NodeJS.ProcessEnv, failure: HostError): Promise<void> {
  const method = failure.code === 'auth_required' && !signedIn.has(backend) ? methodByKey(backend.info, env) : undefined;
  if (method === undefined || backend.authenticate === undefined) throw failure;
  signedIn.add(backend);
  await backend.authenticate(method.id).catch((refused: unknown) => {
    const { detail } = toHostError(refused).params;
    throw detail === undefined ? failure : failure.with({ detail });
  });
}

/** Signs the user out, until the user signs in again. @throws HostError as AgentBackend.signOut; `unsupported` */
export async function signOut(backend: AgentBackend): Promise<void> {
  if (backend.signOut === undefined) throw new HostError('unsupported', { reason: 'sign_out' });
  await backend.signOut();
  signedIn.add(backend);
}

export interface TerminalPlace {
  readonly agent: AgentDefinition;
  /** Absolute, must exist. */
  readonly cwd: string;
  readonly baseEnv: NodeJS.ProcessEnv;
  /** Ends the command and everything that it started. */
  readonly signal: AbortSignal;
}

/** The command line of the method: the agent's own with arguments added, unless the method specifies another one. */
export function commandOfMethod(method: TerminalMethod, { command, args }: Pick<ProcessDefinition, 'command' | 'args'>): readonly string[] {
  return method.command === undefined ? [command, ...args, ...method.args] : [method.command, ...method.args];
}

/**
 * Runs the command in this process's own terminal.
 * @returns its exit code; null if a signal ended it
 * @throws HostError `agent_not_found`, `spawn_failed`; `unsupported` for a server, which must not specify commands to run here
 */
export async function signInInTerminal(method: TerminalMethod, { agent, cwd, baseEnv, signal }: TerminalPlace): Promise<number | null> {
  if ('url' in agent) throw new HostError('unsupported', { reason: 'sign_in' });
  const [command = '', ...args] = commandOfMethod(method, agent);
  const env = { ...environmentFor(agent, baseEnv), ...method.env };
  const launch = await resolveLaunch(command, { env, cwd });
  if (launch === undefined) throw commandNotFound(command);
  return runInTerminal({ ...launchWith(launch, args), cwd, env }, signal);
}
