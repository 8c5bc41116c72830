/** The wire protocols that agents are spoken to in. One that is added is a line here, and a folder beside this file. */
import { HostError } from '../base/errors.js';
import type { FrameDescriber } from '../traffic/frameDescriber.js';
import { connectAcp } from './acp/acpBackend.js';
import { acpFrames } from './acp/acpFrames.js';
import type { ConnectAgent } from './agentBackend.js';

export interface Protocol {
  readonly connect: ConnectAgent;
  /** How its traffic is read. */
  readonly frames: FrameDescriber;
}

const protocols = new Map<string, Protocol>([['acp', { connect: connectAcp, frames: acpFrames }]]);

/** For programs that use this library with a protocol of their own: agents may name it from now on. */
export function addProtocol(name: string, protocol: Protocol): void {
  protocols.set(name, protocol);
}

/** @param name as an agent's definition says it @throws HostError `usage` for one that this host does not speak */
export function protocolOf(name: string): Protocol {
  const protocol = protocols.get(name);
  if (protocol === undefined) throw new HostError('usage', { reason: 'protocol_unknown', protocol: name, known: [...protocols.keys()] });
  return protocol;
}

/** @param name as a trace says it; traces that name none are ACP's @returns undefined for a protocol that this host does not know */
export function frameDescriberOf(name = 'acp'): FrameDescriber | undefined {
  return protocols.get(name)?.frames;
}
