/**
 * Calls back for each line, which ends at LF only: JSON may contain U+2028, at which `readline` splits too (since Node 24).
 * @param {import('node:stream').Readable} input
 * @param {(line: string) => unknown} onLine
 * @param {() => unknown} [onEnd] at the end of the input
 */
export function readLines(input, onLine, onEnd = () => {}) {
  const begun = [];
  input.setEncoding('utf8').on('data', (text) => {
    const [end, ...lines] = text.split('\n');
    begun.push(end);
    for (const line of lines) {
      onLine(begun.splice(0).join(''));
      begun.push(line);
    }
  });
  input.on('end', onEnd);
}
