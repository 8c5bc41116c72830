/** The front end's side of the link. */
import { HostError } from '../base/errors.js';
import { type EngineFile, engineFilePath, type PublishedEngine, reachEngine, readEngineFile } from './engineFile.js';
import { Greeting, GreetingFailure, type Hello } from './greeting.js';
import type { LaunchedEngine } from './launchEngine.js';
import { createSocketWire } from './socketWire.js';
import type { Wire } from './wire.js';

export interface ConnectOptions {
  /** Absolute. */
  readonly stateFolder: string;
  readonly hello: Hello;
  /** Starts an engine. Absent: none is started, and none is asked to end. */
  readonly launch?: () => Promise<LaunchedEngine>;
  readonly timeouts?: Partial<ConnectTimeouts>;
}

export interface ConnectTimeouts {
  /** For everything that is said before the wire exists. */
  readonly greetingMs: number;
  /** For an engine that is ending, until it is gone. */
  readonly endMs: number;
}

const defaultTimeouts: ConnectTimeouts = { greetingMs: 10_000, endMs: 10_000 };
const retryMs = 25;
const maxLaunches = 3;

/**
 * Connects to the engine of a state folder; starts it if there is none. Asks an idle engine of an older version to end first.
 * @returns undefined if there is none, and `launch` is absent
 * @throws HostError `engine_failed`, `engine_hangs`, `engine_older`, `engine_newer`, or what `launch` throws
 */
export async function connectToEngine(options: ConnectOptions): Promise<Wire | undefined> {
  const { launch } = options;
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  const path = engineFilePath(options.stateFolder);
  let launches = 0;
  let ending: { readonly text: string; readonly since: number } | undefined;
  for (;;) {
    const file = readEngineFile(path);
    const wire = await connectTo(path, file, { ...options, timeouts });
    if (wire === 'none') {
      if (launch === undefined) return undefined;
      if (launches++ === maxLaunches) throw new HostError('engine_failed', { reason: 'ended_at_once' });
      // If another starter's engine won, that one is there now.
      await launch();
    } else if (wire !== 'ending') {
      return wire;
    } else {
      const text = file?.text ?? '';
      if (ending?.text !== text) ending = { text, since: Date.now() };
      else if (Date.now() - ending.since > timeouts.endMs) throw new HostError('engine_hangs', { pid: file?.facts?.pid });
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }
}

type ResolvedOptions = ConnectOptions & { readonly timeouts: ConnectTimeouts };

async function connectTo(path: string, file: EngineFile | undefined, options: ResolvedOptions): Promise<Wire | 'none' | 'ending'> {
  const facts = file?.facts;
  if (file === undefined || facts === undefined) return 'none';
  const socket = await reachEngine(path, file);
  if (socket === undefined) return 'none';
  const greeting = new Greeting(socket, options.timeouts.greetingMs);
  try {
    const isGranted = await agree(greeting, facts, options);
    if (isGranted) return createSocketWire(greeting.release());
    socket.destroy();
    return 'ending';
  } catch (error) {
    socket.destroy();
    if (!(error instanceof GreetingFailure)) throw error;
    if (error.how === 'closed') return 'ending';
    const { pid, address } = facts;
    throw error.how === 'late'
      ? new HostError('engine_hangs', { pid, timeoutMs: options.timeouts.greetingMs }, { cause: error })
      : new HostError('engine_failed', { reason: 'impostor', address, path }, { cause: error });
  }
}

/** @returns false if the engine is ending @throws HostError `engine_older`, `engine_newer` @throws GreetingFailure */
async function agree(greeting: Greeting, { token }: PublishedEngine, { hello, launch }: ResolvedOptions): Promise<boolean> {
  const { version, linkVersion, isEnding, ...status } = await greeting.greetEngine(token, hello);
  if (isEnding) return false;
  let { turns } = status;
  const fits = linkVersion === hello.linkVersion;
  const isOlder = fits ? isOlderVersion(version, hello.version) : linkVersion < hello.linkVersion;
  if (isOlder && turns === 0 && launch !== undefined) {
    const answer = await greeting.wish('end_if_idle');
    if (answer.granted || answer.status.isEnding) return false;
    turns = answer.status.turns;
  }
  if (fits) return (await greeting.wish('attach')).granted;
  throw isOlder ? new HostError('engine_older', { turns, version }) : new HostError('engine_newer', { version });
}

/** Compares `1.10.0` and `1.9.0` by their numbers. */
function isOlderVersion(version: string, than: string): boolean {
  return version.localeCompare(than, 'en', { numeric: true }) < 0;
}
