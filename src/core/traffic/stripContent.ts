/** The members of a protocol's objects that are structure. Everything else is content. */
export interface ContentRules {
  /** Members whose strings say what kind of message it is. */
  readonly structural: ReadonlySet<string>;
  /** Members below which every string is about the agent and not about the conversation. */
  readonly harmlessBelow: ReadonlySet<string>;
}

/** Returns a value of the same shape in which the length replaces each text that is content. */
export function stripContent(value: unknown, rules: ContentRules): unknown {
  return strip(value, '', rules);
}

function strip(value: unknown, key: string, rules: ContentRules): unknown {
  if (typeof value === 'string') return rules.structural.has(key) ? value : strippedText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (rules.harmlessBelow.has(key)) return value;
  if (Array.isArray(value)) return value.map((item) => strip(item, key, rules));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, strip(member, name, rules)]));
}

/** Replaces a text that is content. */
export function strippedText(text: string): string {
  return `[${text.length} characters]`;
}
