// Writes as many MB to stderr in a turn as the prompt says, as fast as they are read.
import { once } from 'node:events';
import { serve } from './wire.mjs';

const line = `${'all is well '.repeat(20)}\n`;
const block = line.repeat(Math.ceil(65_536 / line.length));

serve({
  'session/prompt': async ({ prompt: [{ text }] }) => {
    for (let written = 0; written < Number(text) * 1024 * 1024; written += block.length)
      if (!process.stderr.write(block)) await once(process.stderr, 'drain');
    return { stopReason: 'end_turn' };
  },
});
