/** Joins several choices into one text, as agentao and the documented JSON answers expect it. */

const separator = ', ';

/** Joins the choices with commas, in the given order. */
export function joinChoices(values: readonly string[]): string {
  return values.join(separator);
}

/**
 * Splits a text into the offered choices, trying the longest first, because a choice may itself contain the separator.
 * @returns each choice once, in the order of the text; undefined for a text that does not consist of choices
 */
export function splitChoices(choices: readonly string[], text: string): readonly string[] | undefined {
  const candidates = [...new Set(choices)].sort((a, b) => b.length - a.length);
  // Remembers positions from which there is no way to the end: a long text could otherwise be split in exponentially many ways.
  const deadEnds = new Set<number>();
  const split = (from: number): readonly string[] | undefined => {
    if (deadEnds.has(from)) return undefined;
    const rest = text.slice(from);
    for (const choice of candidates) {
      if (rest === choice) return [choice];
      const others = rest.startsWith(choice + separator) ? split(from + choice.length + separator.length) : undefined;
      if (others !== undefined) return [choice, ...others];
    }
    deadEnds.add(from);
    return undefined;
  };
  const found = split(0);
  return found === undefined ? undefined : [...new Set(found)];
}
