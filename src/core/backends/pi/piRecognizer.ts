import type { Recognize } from '../expectedProtocol.js';
import { parseFrame } from './schema/frames.js';

/** An answer identifies the protocol. `ready` alone could come from any program, but before an answer it tells the two dialects apart. */
export function piRecognizer(): Recognize {
  let saidReady = false;
  return (frame) => {
    const { kind } = parseFrame(frame);
    saidReady ||= kind === 'ready';
    if (kind !== 'response') return undefined;
    return saidReady ? 'xcsh' : 'pi';
  };
}
