/** Describes the parrot's traffic. */
import type { FrameDescriber } from '../../src/core/traffic/frameDescriber.js';

export const parrotFrames: FrameDescriber = {
  describe: (frame, direction) => {
    const verb = typeof frame === 'object' && frame !== null ? Object.values(frame)[0] : undefined;
    const method = typeof verb === 'string' ? verb : undefined;
    return { kind: direction === 'sent' ? 'request' : 'notification', method, payload: frame };
  },
  stripContent: () => ({}),
  parse(line) {
    try {
      return JSON.parse(line);
    } catch {
      return undefined;
    }
  },
  format: (frame) => JSON.stringify(frame),
};
