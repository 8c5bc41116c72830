/** `acp-host run`: one prompt, one turn. */
import { pathToFileURL } from 'node:url';
import path from 'node:path';
import { toContent } from '../conversation/conversation.js';
import { readText } from '../system/files.js';
import { createFrontEnd } from '../frontEnds/frontEnd.js';
import { type CodeTask, type ContentBlock, functionNameOf, pieceOf, taskPrompt } from '../../core/index.js';
import { onInterrupts } from '../system/interrupts.js';
import { hurry, type Io, readAll } from '../system/io.js';
import { findTarget, openConversation } from '../conversation/openConversation.js';
import { usageError } from '../arguments/optionValues.js';
import type { RequestOf } from '../arguments/parseArguments.js';
import { Run, type RunPrompt } from '../conversation/run.js';

/** @throws HostError `usage`, and other errors before there is an agent */
export async function runPrompt(request: RequestOf<'run'>, io: Io): Promise<number> {
  const target = await findTarget(request, io);
  const prompt = await contentOf(request.prompt, io);
  const frontEnd = createFrontEnd(request, target.agent.definition, target.cwd, io);
  const conversation = await openConversation(request, target, frontEnd, io, request.detach ? 'share' : 'once');
  const run = new Run(request, frontEnd, conversation);
  let pressed = 0;
  const interrupts = onInterrupts({
    interrupt() {
      if (pressed++ > 0) hurry(io);
      run.interrupt();
    },
    end(signal) {
      hurry(io);
      run.kill(signal);
    },
  });
  // `acp-host run … | head`: the rest is not read, so the agent can stop. The listener stays, because later writes fail too.
  io.stdout.on('error', () => run.cancel());
  const exitCode = await run.run(prompt);
  interrupts.dispose();
  return exitCode;
}

async function contentOf(prompt: RequestOf<'run'>['prompt'], io: Io): Promise<RunPrompt> {
  if (typeof prompt !== 'string') return { content: await taskContent(prompt), command: prompt.kind };
  const text = prompt === '-' ? await readAll(io.stdin) : prompt;
  if (text === undefined) throw usageError('The prompt on stdin is not text in UTF-8');
  if (text.trim() === '') throw usageError('The prompt on stdin is empty');
  return { content: toContent(text) };
}

/**
 * Converts a task on a part of a file to a prompt. Throws before anything is sent.
 * @throws HostError `usage`
 */
async function taskContent({ kind, file, range }: Exclude<RequestOf<'run'>['prompt'], string>): Promise<readonly ContentBlock[]> {
  const whole = await readText(file, '--file');
  const selected = pieceOf(whole, range);
  if (selected === undefined) throw usageError(`--range is not within ${file}, which has ${whole.split('\n').length} lines`);
  const needsWhole = kind === 'explain' || kind === 'unittest';
  const task: CodeTask = { kind, uri: pathToFileURL(path.resolve(file)).href, selected, ...(needsWhole && { whole }) };
  if (kind === 'unittest' && functionNameOf(task) === undefined)
    throw usageError('--range contains no function, and there is none before it');
  return taskPrompt(task);
}
