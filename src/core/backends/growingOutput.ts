/** Output that arrives in pieces, limited to its beginning and its end. */
export interface OutputText {
  readonly head: string;
  readonly tail: string;
  /** The number of characters left out between head and tail. */
  readonly elided: number;
}

interface OutputLimits {
  readonly headChars: number;
  readonly tailChars: number;
  /**
   * The length to which a tail is cut when it exceeds `tailChars`. With less than `tailChars`, most additions only append to a text that
   * stays.
   */
  readonly cutChars: number;
}

/** Those that agentao has used since 0.5.4. */
const defaultLimits: OutputLimits = { headChars: 4_000, tailChars: 12_000, cutChars: 12_000 };

export const terminalLimits: OutputLimits = { headChars: 16_000, tailChars: 64_000, cutChars: 32_000 };

export const noOutput: OutputText = { head: '', tail: '', elided: 0 };

export function appendOutput(output: OutputText, text: string, { headChars, tailChars, cutChars } = defaultLimits): OutputText {
  const room = Math.max(0, headChars - output.head.length);
  const tail = output.tail + text.slice(room);
  const excess = tail.length > tailChars ? tail.length - cutChars : 0;
  return { head: output.head + text.slice(0, room), tail: tail.slice(excess), elided: output.elided + excess };
}

export function showOutput({ head, tail, elided }: OutputText): string {
  return elided === 0 ? head + tail : `${head}\n\n[… ${elided} characters left out …]\n\n${tail}`;
}
