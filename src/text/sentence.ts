/** Ends a text with a period where it has no ending of its own. */
export function sentence(text: string): string {
  const trimmed = text.trim();
  return trimmed === '' || /[.!?…\])]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

/** Takes the period from the end, so that the text can stand inside a sentence. */
export function clause(text: string): string {
  return text.trim().replace(/(?<!\.)\.$/, '');
}

/** Joins sentences; empty ones are left out. */
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
