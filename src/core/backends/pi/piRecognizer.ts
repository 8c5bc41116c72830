import type { Recognize } from '../expectedProtocol.js';
import { parseFrame } from './schema/frames.js';

/** An answer is certain; a `ready` alone could be anybody's, but before an answer it tells the two dialects apart. */
export function piRecognizer(): Recognize {
  let saidReady = false;
  return (frame) => {
    const { kind } = parseFrame(frame);
    saidReady ||= kind === 'ready';
    if (kind !== 'response') return undefined;
    return saidReady ? 'xcsh' : 'pi';
  };
}
