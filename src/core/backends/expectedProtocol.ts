/** A person said which protocol an agent speaks. The first frames of one that speaks another show which one, long before a deadline would. */
import { HostError } from '../base/errors.js';
import type { MessageChannel } from '../transport/messageChannel.js';

/** Told the frames of one agent, from the first on: the protocol that they show, once they do. Certain, or silent. */
export type Recognize = (frame: unknown) => string | undefined;

export interface ExpectedProtocol {
  readonly name: string;
  /** For one connection. */
  recognizer(): Recognize;
  /** Whether such an agent can be spoken to in the protocol that was found: a server can't in one that only programs are spoken to in. */
  canSpeak(found: string): boolean;
}

/** @param begin one recognizer per family of protocols; those of the family that is expected are among them, else the agent is believed */
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

/** Rejects with `handshake_failed` as soon as the agent is known to speak another protocol; otherwise it never settles. */
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
