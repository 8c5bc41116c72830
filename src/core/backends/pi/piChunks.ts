/** Joins the frames that an agent sends in several lines. The parts of a frame arrive in their order. */
import { parseJson } from '../../base/parseJson.js';
import { isWithin, maxLevels } from '../../transport/jsonDepth.js';
import { defaultLineLimits } from '../../transport/lineSplitter.js';
import type { PiChunk } from './schema/frames.js';

/** `lost`: the frame is unusable; `head` is its beginning, as far as it is known. */
export type Joined =
  | { readonly kind: 'part' }
  | { readonly kind: 'frame'; readonly frame: unknown }
  | { readonly kind: 'lost'; readonly head: string };

interface OpenFrame {
  readonly chunkId: string;
  readonly parts: Buffer[];
  bytes: number;
}

const headBytes = 2_048;
const part: Joined = { kind: 'part' };

export class PiChunks {
  #open: OpenFrame | undefined;
  /** The frame of which the other parts are skipped. */
  #skipped: string | undefined;

  add({ chunkId, index, count, byteLength, data }: PiChunk): Joined {
    if (chunkId === this.#skipped && index > 0) return part;
    if (index === 0) this.#open = { chunkId, parts: [], bytes: 0 };
    const open = this.#open;
    if (open === undefined || open.chunkId !== chunkId || open.parts.length !== index) return this.#lose(chunkId);
    const bytes = Buffer.from(data, 'base64');
    open.parts.push(bytes);
    open.bytes += bytes.length;
    if (Math.max(byteLength, open.bytes) > defaultLineLimits.lineBytes) return this.#lose(chunkId);
    if (open.parts.length < count) return part;
    const frame = parseJson(Buffer.concat(open.parts).toString('utf8'));
    if (frame === undefined || !isWithin(frame, maxLevels)) return this.#lose(chunkId);
    this.#open = undefined;
    return { kind: 'frame', frame };
  }

  #lose(chunkId: string): Joined {
    const head = this.#open?.chunkId === chunkId ? (this.#open.parts[0]?.toString('utf8', 0, headBytes) ?? '') : '';
    this.#open = undefined;
    this.#skipped = chunkId;
    return { kind: 'lost', head };
  }
}
