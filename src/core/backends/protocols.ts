/** The wire protocols that agents are spoken to in. One that is added is a line here, and a folder beside this file. */
import { HostError } from '../base/errors.js';
import type { FrameDescriber } from '../traffic/frameDescriber.js';
import { connectAcp } from './acp/acpBackend.js';
import { acpFrames } from './acp/acpFrames.js';
import { acpRecognizer } from './acp/acpRecognizer.js';
import { connectAgentCli } from './agentCli/agentCliBackend.js';
import { agentCliFrames } from './agentCli/agentCliFrames.js';
import { agentCliRecognizer } from './agentCli/agentCliRecognizer.js';
import { connectAgentService } from './agentService/agentServiceBackend.js';
import { agentServiceFrames } from './agentService/agentServiceFrames.js';
import { agentServiceRecognizer } from './agentService/agentServiceRecognizer.js';
import type { ConnectAgent, ConnectServer } from './agentBackend.js';
import { type ExpectedProtocol, expectedProtocol, type Recognize } from './expectedProtocol.js';
import { connectPi, connectXcsh } from './pi/piBackend.js';
import { piFrames } from './pi/piFrames.js';
import { piRecognizer } from './pi/piRecognizer.js';

/** `peer`: who speaks it, a process over stdin and stdout or a server at a URL. */
export type Protocol = {
  /** How its traffic is read. */
  readonly frames: FrameDescriber;
  /** An agent can ask in it what an editor knows of the code. */
  readonly asksAboutCode?: true;
  /** Tells by an agent's own frames that it speaks this protocol, or one of its family. Absent: they tell nothing. */
  readonly recognizer?: () => Recognize;
} & (
  | {
      readonly peer: 'process';
      readonly connect: ConnectAgent;
    }
  | {
      readonly peer: 'server';
      readonly connect: ConnectServer;
      /** It knows no keys: whoever reaches the server can use it. */
      readonly isUnauthenticated?: true;
    }
);

/** Of an agent that says nothing else. */
export const defaultProtocol = 'acp';

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

/** For programs that use this library with a protocol of their own: agents may name it from now on. */
export function addProtocol(name: string, protocol: Protocol): void {
  protocols.set(name, protocol);
}

/** In the order in which they were added. @param peer absent: all */
export function protocolNames(peer?: Protocol['peer']): readonly string[] {
  return [...protocols].flatMap(([name, protocol]) => (peer === undefined || protocol.peer === peer ? name : []));
}

/** @param name as an agent's definition says it @throws HostError `usage` for one that this host does not speak */
export function protocolOf(name: string): Protocol {
  const protocol = protocols.get(name);
  if (protocol === undefined) throw new HostError('usage', { reason: 'protocol_unknown', protocol: name, known: protocolNames() });
  return protocol;
}

/** What an agent of this protocol is expected to say. One that nothing tells by its frames is believed, whatever it says. */
export function expectedOf(name: string): ExpectedProtocol | undefined {
  const { peer, recognizer } = protocols.get(name) ?? {};
  if (recognizer === undefined) return undefined;
  // A program may print what looks like a server's answer; a server that speaks as programs do has nothing else to say.
  const others = [...protocols.values()].filter((other) => peer === 'server' || other.peer === peer);
  return expectedProtocol(
    name,
    [...new Set(others.flatMap((other) => other.recognizer ?? []))],
    (found) => protocols.get(found)?.peer === peer,
  );
}

/** @param name as a trace says it; traces that name none are ACP's @returns undefined for a protocol that this host does not know */
export function frameDescriberOf(name = defaultProtocol): FrameDescriber | undefined {
  return protocols.get(name)?.frames;
}
