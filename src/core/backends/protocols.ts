/** The wire protocols that agents speak. To add one, add a line here and a folder next to this file. */
import { HostError } from '../base/errors.js';
import type { FrameDescriber } from '../traffic/frameDescriber.js';
import { acpFrames, acpRecognizer } from './acp/acpFrames.js';
import { agentCliFrames, agentCliRecognizer } from './agentCli/agentCliFrames.js';
import { agentServiceFrames, agentServiceRecognizer } from './agentService/agentServiceFrames.js';
import type { ConnectAgent, ConnectServer } from './agentBackend.js';
import { type ExpectedProtocol, expectedProtocol, type Recognize } from './expectedProtocol.js';
import { piFrames, piRecognizer } from './pi/piFrames.js';

/** `peer`: whether the agent is a process over stdin and stdout, or a server at a URL. */
export type Protocol = {
  /** Describes its traffic. */
  readonly frames: FrameDescriber;
  /** Whether an agent can use it to ask what an editor knows about the code. */
  readonly asksAboutCode?: true;
  /** Recognizes from an agent's own frames that it speaks this protocol, or one of its family. Absent if the frames don't show it. */
  readonly recognizer?: () => Recognize;
} & (
  | {
      readonly peer: 'process';
      readonly connect: ConnectAgent;
    }
  | {
      readonly peer: 'server';
      readonly connect: ConnectServer;
      /** The protocol has no keys: everyone who can reach the server can use it. */
      readonly isUnauthenticated?: true;
    }
);

// The code of a protocol is loaded when the first agent connects that speaks it. Neither the chat nor the command line waits for all of them.
const connectAcp: ConnectAgent = async (...args) => (await import('./acp/acpBackend.js')).connectAcp(...args);
const connectPi: ConnectAgent = async (...args) => (await import('./pi/piBackend.js')).connectPi(...args);
const connectXcsh: ConnectAgent = async (...args) => (await import('./pi/piBackend.js')).connectXcsh(...args);
const connectAgentCli: ConnectServer = async (...args) => (await import('./agentCli/agentCliBackend.js')).connectAgentCli(...args);
const connectAgentService: ConnectServer = async (...args) =>
  (await import('./agentService/agentServiceBackend.js')).connectAgentService(...args);

/** The protocol of an agent that doesn't specify one. */
export const defaultProtocol = 'acp';

let hasAdded = false;
const protocols = new Map<string, Protocol>([
  [defaultProtocol, { peer: 'process', connect: connectAcp, frames: acpFrames, recognizer: acpRecognizer }],
  ['pi', { peer: 'process', connect: connectPi, frames: piFrames, recognizer: piRecognizer }],
  ['xcsh', { peer: 'process', connect: connectXcsh, frames: piFrames, recognizer: piRecognizer, asksAboutCode: true }],
  [
    'agent-cli',
    { peer: 'server', connect: connectAgentCli, frames: agentCliFrames, recognizer: agentCliRecognizer, isUnauthenticated: true },
  ],
  [
    'agent-service',
    { peer: 'server', connect: connectAgentService, frames: agentServiceFrames, recognizer: agentServiceRecognizer, asksAboutCode: true },
  ],
]);

/** Registers a protocol, for programs that use this library with a protocol of their own. Agents can name it from now on. */
export function addProtocol(name: string, protocol: Protocol): void {
  hasAdded = true;
  protocols.set(name, protocol);
}

/** Lists the protocols in the order in which they were added. @param peer lists all if absent */
export function protocolNames(peer?: Protocol['peer']): readonly string[] {
  return [...protocols].flatMap(([name, protocol]) => (peer === undefined || protocol.peer === peer ? name : []));
}

/** @param name as in an agent's definition @throws HostError `usage` for a protocol that this host doesn't speak */
export function protocolOf(name: string): Protocol {
  const protocol = protocols.get(name);
  if (protocol === undefined) throw new HostError('usage', { reason: 'protocol_unknown', protocol: name, known: protocolNames() });
  return protocol;
}

/**
 * What to expect from the frames of an agent of this protocol. Undefined if the protocol can't be recognized by its frames; the agent is
 * trusted then.
 */
export function expectedOf(name: string): ExpectedProtocol | undefined {
  const { peer, recognizer } = protocols.get(name) ?? {};
  if (recognizer === undefined) return undefined;
  // A program may print what looks like a server's answer, so servers' protocols don't count for it. A server that answers like a program
  // speaks that program's protocol.
  const others = [...protocols.values()].filter((other) => peer === 'server' || other.peer === peer);
  return expectedProtocol(
    name,
    [...new Set(others.flatMap((other) => other.recognizer ?? []))],
    (found) => protocols.get(found)?.peer === peer,
  );
}

/** @param name as in a trace; a trace without a name uses ACP @returns undefined for a protocol that this host doesn't know */
export function frameDescriberOf(name = defaultProtocol): FrameDescriber | undefined {
  return protocols.get(name)?.frames;
}

/** Whether this program knows protocols that the program of an engine does not. */
export function hasOwnProtocols(): boolean {
  return hasAdded;
}
