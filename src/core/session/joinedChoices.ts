/** Several choices as one text, as agentao and the documented JSON answers want it. */

const separator = ', ';

export function joinChoices(values: readonly string[]): string {
  return values.join(separator);
}

/**
 * Choices may hold the separator themselves, so the text is taken apart by what is offered, longest first.
 * @returns each choice once, in the order of the text; undefined for a text that is not made of choices
 */
export function splitChoices(choices: readonly string[], text: string): readonly string[] | undefined {
  const candidates = [...new Set(choices)].sort((a, b) => b.length - a.length);
  // Ends that lead nowhere are tried once: a text of many pieces may be cut in very many ways.
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
