/** Converts a task on a part of a file to a prompt. */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type CodeTask, type ContentBlock, functionNameOf, messageOf, pieceOf, taskPrompt } from '../../core/index.js';
import type { TaskRequest } from '../arguments/request.js';
import { usageError } from '../arguments/usageError.js';
import { readText } from '../system/files.js';

/**
 * Throws before anything is sent.
 * @throws HostError `usage`
 */
export async function taskContent({ kind, file, range }: TaskRequest): Promise<readonly ContentBlock[]> {
  const whole = await readText(file).catch((error: unknown) => {
    throw usageError(`--file can't be read: ${messageOf(error)}`);
  });
  const selected = pieceOf(whole, range);
  if (selected === undefined) throw usageError(`--range is not within ${file}, which has ${whole.split('\n').length} lines`);
  const needsWhole = kind === 'explain' || kind === 'unittest';
  const task: CodeTask = { kind, uri: pathToFileURL(path.resolve(file)).href, selected, ...(needsWhole && { whole }) };
  if (kind === 'unittest' && functionNameOf(task) === undefined)
    throw usageError('--range contains no function, and there is none before it');
  return taskPrompt(task);
}
