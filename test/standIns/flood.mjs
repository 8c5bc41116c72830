/** Sends as fast as the receiver reads: messages of one size, serialized once, in blocks as large as a pipe accepts at a time. */

const blockBytes = 64 * 1024;
/** How many different messages there are before they repeat. */
const variety = 500;

/**
 * @param {number} count of messages
 * @param {number} bytes of each, without what frames it
 * @param {(words: string) => object} toMessage @param {(text: string) => Uint8Array} toFrame
 * @returns {Generator<Buffer>}
 */
function* blocks(count, bytes, toMessage, toFrame) {
  const room = bytes - Buffer.byteLength(JSON.stringify(toMessage('')));
  const pool = Array.from({ length: variety }, (_, n) =>
    toFrame(JSON.stringify(toMessage(`word ${n} of many, `.repeat(20).slice(0, room)))),
  );
  /** @type {Uint8Array[]} */
  let block = [];
  let size = 0;
  for (let n = 0; n < count; n++) {
    const next = pool[n % variety] ?? Buffer.alloc(0);
    block.push(next);
    size += next.length;
    if (size < blockBytes && n < count - 1) continue;
    yield Buffer.concat(block);
    [block, size] = [[], 0];
  }
}

/** @param {string} text */
const line = (text) => Buffer.from(`${text}\n`);

/**
 * Settles when the last message was written.
 * @param {import('node:stream').Writable} out @param {string} prompt `flood COUNT BYTES`
 * @param {(words: string) => object} toMessage @param {(text: string) => Uint8Array} [toFrame]
 */
export async function flood(out, prompt, toMessage, toFrame = line) {
  const [, count, bytes] = prompt.split(' ').map(Number);
  for (const block of blocks(count ?? 0, bytes ?? 0, toMessage, toFrame))
    if (!out.write(block)) await new Promise((resolve) => out.once('drain', () => resolve(undefined)));
}
