/** The conformance suite of the seam for a protocol that exists only in these tests. */
import { fileURLToPath } from 'node:url';
import { conformance } from './conformance.js';
import { parrot } from './parrot.js';

const script = fileURLToPath(new URL('../agents/parrot.mjs', import.meta.url));

conformance([
  {
    name: 'parrot',
    connect: parrot.connect,
    agent: { label: 'Parrot', command: process.execPath, args: [script], env: {} },
    option: { id: 'mood', value: 'loud' },
    prompts: {
      echo: (words) => ({ prompt: words, said: `${words} ` }),
      ask: 'ask',
      askAgain: 'askAgain',
      hang: 'hang',
      mute: 'mute',
      fail: 'oops',
      die: 'die',
      deaf: 'deaf',
      family: 'family',
      babble: 'babble',
    },
  },
]);
