/** Commands that change files: only with permission, and only if the file is still the one that was shown. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ToolCallContent } from '@agentclientprotocol/sdk/unstable';
import { CommandError } from '../commandError.js';
import { type Command, needed, plural, splitFirst } from './command.js';
import { runTool } from '../toolCall.js';
import type { Turn } from '../turn.js';
import { readWorkspaceFile, textOf } from './reading.js';

export const editCommand: Command = {
  name: 'edit',
  hint: 'FILE OLD => NEW | FILE += TEXT',
  description: 'Change a file: replace a text, or append one',
  async run(turn, input) {
    const { first, rest } = splitFirst(input);
    const file = await turn.session.workspace.resolve(needed(first, 'edit FILE OLD => NEW'));
    const name = turn.session.workspace.display(file);
    const oldText = textOf(await readWorkspaceFile(file, name), name);
    const edit = parseEdit(rest, oldText, name);
    await changeFile(turn, { file, name, title: `Edit ${name}`, oldText, newText: edit.newText, line: edit.line, rawInput: edit.rawInput });
    await turn.say(`Done: ${edit.summary} in \`${name}\`.`);
  },
};

export const writeCommand: Command = {
  name: 'write',
  hint: 'FILE TEXT',
  description: 'Write a file, new or in place of an old one',
  async run(turn, input) {
    const { first, rest } = splitFirst(input);
    const file = await turn.session.workspace.resolve(needed(first, 'write FILE TEXT'));
    const name = turn.session.workspace.display(file);
    const text = unescaped(needed(rest, 'write FILE TEXT'));
    const newText = text.endsWith('\n') ? text : `${text}\n`;
    const oldText = await oldTextOf(file, name);
    await changeFile(turn, {
      file,
      name,
      title: `${oldText === null ? 'Create' : 'Overwrite'} ${name}`,
      oldText,
      newText,
      line: 1,
      rawInput: { path: file, content: newText },
    });
    await turn.say(`Done: \`${name}\` now has ${plural(newText.split('\n').length - 1, 'line')}.`);
  },
};

interface Change {
  readonly file: string;
  readonly name: string;
  readonly title: string;
  /** Null if there is no file yet. */
  readonly oldText: string | null;
  readonly newText: string;
  /** First changed line, 1-based. */
  readonly line: number;
  readonly rawInput: unknown;
}

async function changeFile(turn: Turn, { file, name, title, oldText, newText, line, rawInput }: Change): Promise<void> {
  const diff: ToolCallContent = { type: 'diff', path: file, oldText, newText };
  await runTool(turn, {
    title,
    kind: 'edit',
    rawInput,
    locations: [{ path: file, line }],
    content: [diff],
    permission: { topic: 'edit', scope: 'all edits' },
    async run() {
      if ((await oldTextOf(file, name)) !== oldText)
        throw new CommandError(`\`${name}\` has changed in the meantime, so I didn't write it.`);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, newText);
      return { value: undefined, content: [diff], rawOutput: { bytesWritten: Buffer.byteLength(newText) } };
    },
  });
}

async function oldTextOf(file: string, name: string): Promise<string | null> {
  try {
    return textOf(await readWorkspaceFile(file, name), name);
  } catch (error) {
    if (error instanceof CommandError && error.message.startsWith('There is no file')) return null;
    throw error;
  }
}

interface ParsedEdit {
  readonly newText: string;
  readonly line: number;
  readonly summary: string;
  readonly rawInput: unknown;
}

function parseEdit(rest: string, oldText: string, name: string): ParsedEdit {
  const lineCount = oldText.split('\n').length;
  const separator = oldText === '' || oldText.endsWith('\n') ? '' : '\n';
  const append = (text: string): ParsedEdit => ({
    newText: `${oldText}${separator}${text}\n`,
    line: separator === '' ? lineCount : lineCount + 1,
    summary: 'a line was added',
    rawInput: { append: text },
  });
  if (rest.trim() === '') return append(`Edited by the demo agent at ${new Date().toISOString()}`);
  const appended = /^\+=\s?([\s\S]*)$/.exec(rest);
  if (appended) return append(unescaped(appended[1] ?? ''));

  const replacement = /^([\s\S]+?)\s*=>\s?([\s\S]*)$/.exec(rest);
  if (!replacement) throw new CommandError('I did not understand the edit. Write: `edit FILE OLD => NEW` or `edit FILE += TEXT`');
  const [wanted, replaced] = [unescaped(replacement[1] ?? ''), unescaped(replacement[2] ?? '')];
  const at = oldText.indexOf(wanted);
  if (at === -1) throw new CommandError(`\`${name}\` does not contain \`${wanted}\`.`);
  if (oldText.indexOf(wanted, at + 1) !== -1)
    throw new CommandError(`\`${name}\` contains \`${wanted}\` more than once. Name a longer text, so that it is clear which one.`);
  return {
    newText: oldText.slice(0, at) + replaced + oldText.slice(at + wanted.length),
    line: oldText.slice(0, at).split('\n').length,
    summary: 'the text was replaced',
    rawInput: { oldText: wanted, newText: replaced },
  };
}

/** A prompt often has one line: `\n` and `\t` stand for what is hard to type, `\\` for a backslash. */
function unescaped(text: string): string {
  return text.replace(/\\([nt\\])/g, (_, letter: string) => ({ n: '\n', t: '\t' })[letter] ?? '\\');
}
