/** Output that arrives in pieces, kept within bounds: its beginning and its end. The bounds are those that agentao keeps itself since 0.5.4. */
export interface OutputText {
  readonly head: string;
  readonly tail: string;
  /** Characters left out between the two. */
  readonly elided: number;
}

export interface OutputLimits {
  readonly headChars: number;
  readonly tailChars: number;
  /** What is left of a tail that became longer. Less than `tailChars` lets most of what comes be added to a text that stays. */
  readonly cutChars: number;
}

const defaultLimits: OutputLimits = { headChars: 4_000, tailChars: 12_000, cutChars: 12_000 };

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
