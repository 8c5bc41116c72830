import bitIterator from 'unbzip2-stream/lib/bit_iterator.js';
import bzip2 from 'unbzip2-stream/lib/bzip2.js';

/** What a block, which is at most as large as its level says, may need in addition. */
const overheadBytes = 25_000;
const firstBytes = 1024 * 1024;

/**
 * Decompresses bzip2, one block after the other: no more than one of them is in memory, whatever it expands to. Several streams that follow
 * one another are one.
 * @throws Error if it is damaged, or ends too early
 */
export async function* bunzip2(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const chunks = source[Symbol.asyncIterator]();
  const waiting: Buffer[] = [];
  let received = 0;
  let hasEnded = false;
  const receive = async (bytes: number, read: number): Promise<boolean> => {
    while (!hasEnded && received - read < bytes) {
      const next = await chunks.next();
      if (next.done === true) {
        hasEnded = true;
      } else {
        waiting.push(next.value);
        received += next.value.length;
      }
    }
    return received > read;
  };
  if (!(await receive(1, 0))) throw new Error('The file is empty');
  const bits = bitIterator(() => {
    const next = waiting.shift();
    if (next === undefined) throw new Error('The file ends too early');
    return next;
  });
  while (await receive(overheadBytes, bits.bytesRead)) {
    const blockBytes = 100_000 * bzip2.header(bits);
    const work = new Int32Array(blockBytes);
    for (let checksum: number | null = 0; ; ) {
      await receive(overheadBytes + blockBytes, bits.bytesRead);
      let bytes = Buffer.allocUnsafe(firstBytes);
      let length = 0;
      const onByte = (byte: number): void => {
        if (length === bytes.length) bytes = Buffer.concat([bytes], 2 * length);
        bytes[length++] = byte;
      };
      checksum = bzip2.decompress(bits, onByte, work, blockBytes, checksum);
      if (checksum === null) break;
      yield bytes.subarray(0, length);
    }
  }
}
