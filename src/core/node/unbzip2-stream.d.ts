/** The parts of unbzip2-stream 1.4.3 below its stream, which decompresses all that it got at once, however much that is. */
declare module 'unbzip2-stream/lib/bit_iterator.js' {
  /**
   * @param nextBuffer returns the next bytes; called at once for the first ones
   * @returns `bytesRead` are those that were begun
   */
  function bitIterator(nextBuffer: () => Buffer): { readonly bytesRead: number };
  export = bitIterator;
}

declare module 'unbzip2-stream/lib/bzip2.js' {
  const bzip2: {
    /** @returns the size of a block, in units of 100,000 bytes @throws Error */
    header(bits: { readonly bytesRead: number }): number;
    /**
     * Decompresses one block.
     * @param onByte called for each byte
     * @param work of `bytes` entries
     * @param checksum what the last block returned; 0 for the first one
     * @returns the checksum so far; null: this was the end of the stream
     * @throws Error
     */
    decompress(
      bits: { readonly bytesRead: number },
      onByte: (byte: number) => void,
      work: Int32Array,
      bytes: number,
      checksum: number,
    ): number | null;
  };
  export = bzip2;
}
