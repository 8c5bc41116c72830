// Fails each turn, with a reason on stderr that has no line break. The prompt "insist" repeatedly sends requests that the client did not declare.
import { request, say, serve } from './wire.mjs';

serve({
  'session/prompt': async ({ sessionId, prompt }) => {
    if (prompt[0].text === 'insist') {
      const codes = [];
      for (const method of ['fs/write_text_file', '_vendor/extra', 'fs/write_text_file', '_vendor/extra', '_vendor/extra'])
        codes.push(await request(method, { sessionId, path: '/nowhere', content: '' }).catch(({ code }) => code));
      say(sessionId, codes.join(' '));
      return { stopReason: 'end_turn' };
    }
    await new Promise((resolve) => process.stderr.write('first line\nEnter the passphrase: ', resolve));
    throw { code: -32603, message: 'Internal error' };
  },
});
