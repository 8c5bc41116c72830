/** `acp-host run`: one prompt, one turn. */
import type { RunRequest } from '../arguments/request.js';
import { toContent } from '../conversation/conversation.js';
import { openConversation } from '../conversation/openConversation.js';
import { Run, type RunPrompt } from '../conversation/run.js';
import { taskContent } from '../conversation/taskContent.js';
import { findTarget } from '../conversation/target.js';
import { createFrontEnd } from '../frontEnds/frontEnd.js';
import { onInterrupts } from '../system/interrupts.js';
import { hurry, type Io, readAll } from '../system/io.js';
import { usageError } from '../arguments/usageError.js';

/** @throws HostError `usage`, and other errors before there is an agent */
export async function runPrompt(request: RunRequest, io: Io): Promise<number> {
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

async function contentOf(prompt: RunRequest['prompt'], io: Io): Promise<RunPrompt> {
  if (typeof prompt !== 'string') return { content: await taskContent(prompt), command: prompt.kind };
  const text = prompt === '-' ? await readAll(io.stdin) : prompt;
  if (text === undefined) throw usageError('The prompt on stdin is not text in UTF-8');
  if (text.trim() === '') throw usageError('The prompt on stdin is empty');
  return { content: toContent(text) };
}
