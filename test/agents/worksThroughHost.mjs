// Reads and writes files only through its host: the prompt is `read PATH` or `write PATH TEXT`, with a path in the session's folder. Says what it got.
import path from 'node:path';
import { request, say, serve } from './wire.mjs';

let folder = '';
serve({
  'session/new': async ({ cwd }) => {
    folder = cwd;
    return { sessionId: 'only' };
  },
  'session/prompt': async ({ sessionId, prompt }) => {
    const [, act, name, content] = /^(read|write) (\S+) ?(.*)$/s.exec(prompt[0].text);
    const file = { sessionId, path: path.join(folder, name) };
    const answer = act === 'read' ? request('fs/read_text_file', file) : request('fs/write_text_file', { ...file, content });
    say(
      sessionId,
      await answer.then(
        (result) => `It has: ${result.content ?? 'what I wrote'}`,
        ({ message }) => `Refused: ${message}`,
      ),
    );
    return { stopReason: 'end_turn' };
  },
});
