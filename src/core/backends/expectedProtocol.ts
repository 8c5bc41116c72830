/**
 * The user configures the protocol of an agent. The first frames of an agent that speaks another one identify it, long before a deadline
 * would.
 */
import { HostError } from '../base/errors.js';
import type { MessageChannel } from '../transport/messageChannel.js';

/** Receives the frames of one agent, from the first on, and returns the protocol that they identify, if any. It never guesses. */
export type Recognize = (frame: unknown) => string | undefined;

export interface ExpectedProtocol {
  readonly name: string;
  /** Creates a recognizer for one connection. */
  recognizer(): Recognize;
  /** Whether the host supports the found protocol for such an agent: a server cannot use a protocol that is for processes only. */
  canSpeak(found: string): boolean;
}

/** @param begin one recognizer per protocol family; it must include the family of the expected protocol, otherwise the agent is trusted */
export function expectedProtocol(
  name: string,
  begin: readonly (() => Recognize)[],
  canSpeak: ExpectedProtocol['canSpeak'],
): ExpectedProtocol {
  return {
    name,
    canSpeak,
    recognizer() {
      const recognizers = begin.map((one) => one());
      let found: string | undefined;
      return (frame) => {
        for (const recognize of recognizers) found ??= recognize(frame);
        return found;
      };
    },
  };
}

/** Rejects with `handshake_failed` as soon as the agent is known to speak another protocol; otherwise never settles. */
export function otherProtocol(channel: Pick<MessageChannel, 'onTraffic'>, expected: ExpectedProtocol): Promise<never> {
  const { name } = expected;
  const recognize = expected.recognizer();
  return new Promise((_, reject) => {
    const watching = channel.onTraffic((entry) => {
      if (entry.kind !== 'message' || entry.direction !== 'received') return;
      const found = recognize(entry.message);
      if (found === undefined) return;
      watching.dispose();
      const reason = expected.canSpeak(found) ? 'other_protocol' : 'protocol_of_programs';
      if (found !== name) reject(new HostError('handshake_failed', { reason, protocol: name, found }));
    });
  });
}
