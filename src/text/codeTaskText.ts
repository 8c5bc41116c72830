import type { CodeTaskKind } from '../core/index.js';

const texts: Readonly<Record<CodeTaskKind, string>> = {
  explain: 'Explain this code.',
  docstring: 'Write a documentation comment for this code.',
  optimize: 'Optimize this code.',
  fix: 'Find and fix the errors in this code.',
  unittest: 'Write unit tests for this code.',
};

/** Returns the task as a sentence, for agents that have no command for it. */
export function codeTaskText(kind: CodeTaskKind): string {
  return texts[kind];
}
