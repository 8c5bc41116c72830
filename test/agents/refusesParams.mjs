// Refuses each prompt with the JSON-RPC error code that the prompt names.
import { serve } from './wire.mjs';

serve({
  'session/prompt': ({ prompt }) => {
    throw { code: Number(prompt.at(-1).text), message: 'prompt[0]: not supported' };
  },
});
