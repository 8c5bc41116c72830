/** The lines typed in chats, saved for the arrow keys of the next chat: one JSON string per line, oldest first, with secrets redacted. */
import path from 'node:path';
import * as z from 'zod/mini';
import { Redactor } from '../../core/index.js';
import { appendTextSync, readTextSync, replaceTextSync } from '../system/files.js';

const fileName = 'chat-history';
const limitLines = 500;
/** Longer lines are not worth saving for another edit. */
const limitLineChars = 4_000;

export interface LineHistory {
  /** Newest first. */
  readonly lines: readonly string[];
  /** Never throws: a chat works without a history. */
  add(line: string): void;
}

/** @param env the environment whose secrets are redacted */
export function openLineHistory(stateFolder: string, env: NodeJS.ProcessEnv): LineHistory {
  const file = path.join(stateFolder, fileName);
  const redactor = new Redactor();
  redactor.addEnvironment(env);
  const saved = parseLines(readTextSync(file) ?? '');
  const lines = saved.slice(-limitLines);
  // Rewritten only when it is far too long, because two chats may append to it at the same time.
  if (saved.length > 2 * limitLines) attempt(() => replaceTextSync(file, lines.map(formatLine).join('')));
  return {
    lines: lines.toReversed(),
    add(line) {
      if (line.trim() === '' || line.length > limitLineChars) return;
      attempt(() => appendTextSync(file, formatLine(redactor.text(line))));
    },
  };
}

function formatLine(line: string): string {
  return `${JSON.stringify(line)}\n`;
}

function parseLines(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const parsed = z.string().safeParse(jsonIn(line));
    return parsed.success ? [parsed.data] : [];
  });
}

function jsonIn(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // incomplete or foreign: only this line is lost
  }
}

function attempt(act: () => void): void {
  try {
    act();
  } catch {
    // The folder is not writable. The journal, which is in the same folder, reports that.
  }
}
