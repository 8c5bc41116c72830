/** What in the objects of a protocol is structure, by the names of members. Everything else is content. */
export interface ContentRules {
  /** Members whose strings say what a message is, and not what was said in it. */
  readonly structural: ReadonlySet<string>;
  /** Below them every string is about the agent and not about the conversation. */
  readonly harmlessBelow: ReadonlySet<string>;
}

/** The same value with its shape; of each text that is content, its length. */
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

/** What stands for a text that is content. */
export function strippedText(text: string): string {
  return `[${text.length} characters]`;
}
