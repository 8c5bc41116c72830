// Sends names of commands with a slash, with blanks, empty or repeated. Repeats each prompt.
import { say, serve, update } from './wire.mjs';

serve({
  'session/prompt': ({ sessionId, prompt: [{ text }] }) => {
    const names = ['/init', '/compact', 'plain', ' spaced ', '', 'plain'];
    update(sessionId, {
      sessionUpdate: 'available_commands_update',
      availableCommands: names.map((name) => ({ name, description: name })),
    });
    say(sessionId, text);
    return { stopReason: 'end_turn' };
  },
});
