/** Of one message. */
export const limitBytes = 256 * 1024 * 1024;
/** The writer of vscode-jsonrpc writes no other header. */
const header = /^Content-Length: (\d{1,10})\r\n\r\n$/;
const longestHeader = 'Content-Length: 1234567890\r\n\r\n'.length;

/**
 * Follows the frames of vscode-jsonrpc, whose reader has no limit: it would wait for a message of any length, and search endless garbage
 * for a header again with each piece.
 */
export class FrameCheck {
  #header = '';
  #missingBytes = 0;
  #complete = 0;

  /** The number of frames that arrived completely. */
  get complete(): number {
    return this.#complete;
  }

  /** @returns what is wrong; nothing is checked after that */
  check(bytes: Uint8Array): 'bad_message' | 'too_large' | undefined {
    for (let at = 0; at < bytes.length; ) {
      if (this.#missingBytes > 0) {
        const step = Math.min(this.#missingBytes, bytes.length - at);
        at += step;
        this.#missingBytes -= step;
        if (this.#missingBytes === 0) this.#complete++;
        continue;
      }
      this.#header += String.fromCharCode(bytes[at++] ?? 0);
      if (this.#header.length > longestHeader) return 'bad_message';
      if (!this.#header.endsWith('\n\r\n')) continue;
      const length = Number(header.exec(this.#header)?.[1] ?? 0);
      if (length === 0) return 'bad_message';
      if (length > limitBytes) return 'too_large';
      this.#header = '';
      this.#missingBytes = length;
    }
    return undefined;
  }
}
