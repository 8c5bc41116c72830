/** Adds a period to a text that has no punctuation at its end. */
export function sentence(text: string): string {
  const trimmed = text.trim();
  return trimmed === '' || /[.!?\u2026\])]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

/** Removes the period at the end, so that the text can be part of a sentence. */
export function clause(text: string): string {
  return text.trim().replace(/(?<!\.)\.$/, '');
}

/** Joins sentences and leaves out empty ones. */
export function sentences(...texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join(' ');
}

/** "1 message", "2 messages". */
export function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}

/** "12.0 MB". */
export function megabytes(bytes: number): string {
  return `${(bytes / (1024 * 1024)).toFixed(1)} MB`;
}
