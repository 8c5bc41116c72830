/** What was typed in chats, kept for the arrow keys of the next one: a JSON string a line, the oldest first, secrets redacted, for its owner only. */
import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod/mini';
import { Redactor } from '../../core/index.js';

const fileName = 'chat-history';
const limitLines = 500;
/** A longer one is no line that anybody edits again. */
const limitLineChars = 4_000;
const ownerOnly = 0o600;

export interface LineHistory {
  /** The newest first. */
  readonly lines: readonly string[];
  /** Never throws: a history that cannot be written is no reason not to talk. */
  add(line: string): void;
}

/** @param env whose secrets are redacted */
export function openLineHistory(stateFolder: string, env: NodeJS.ProcessEnv): LineHistory {
  const file = path.join(stateFolder, fileName);
  const redactor = new Redactor();
  redactor.addEnvironment(env);
  const kept = readLines(file);
  const lines = kept.slice(-limitLines);
  // Rewritten only when there is much too much: two chats may append to it at the same time.
  if (kept.length > 2 * limitLines) attempt(() => replace(file, lines));
  return {
    lines: lines.toReversed(),
    add(line) {
      if (line.trim() === '' || line.length > limitLineChars) return;
      attempt(() => {
        mkdirSync(stateFolder, { recursive: true });
        appendFileSync(file, `${JSON.stringify(redactor.text(line))}\n`, { mode: ownerOnly });
      });
    },
  };
}

function readLines(file: string): readonly string[] {
  let text = '';
  attempt(() => (text = readFileSync(file, 'utf8')));
  return text.split('\n').flatMap((line) => {
    const parsed = z.string().safeParse(jsonIn(line));
    return parsed.success ? [parsed.data] : [];
  });
}

function replace(file: string, lines: readonly string[]): void {
  const next = `${file}.${process.pid}`;
  writeFileSync(next, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), { mode: ownerOnly });
  renameSync(next, file);
}

function jsonIn(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // torn, or foreign: it costs only itself
  }
}

function attempt(act: () => void): void {
  try {
    act();
  } catch {
    // No history then: the file is missing, or its folder cannot be written, which the journal tells.
  }
}
