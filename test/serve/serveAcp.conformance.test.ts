/** The conformance suite of the seam through this host, ACP, `acp-host serve`, and an ACP agent. */
import { conformance } from '../backends/conformance.js';
import { here, served } from './served.js';

conformance([
  {
    ...served('serve, of acp', 'acp', [process.execPath, here('../agents/conforms.mjs')]),
    agent: {
      ...served('', 'acp', [process.execPath, here('../agents/conforms.mjs')]).agent,
      env: { CONFORMS_CAN: 'load resume close signIn' },
    },
    prompts: {
      echo: (words) => ({ prompt: words, said: words }),
      ask: 'ask',
      askAgain: 'askAgain',
      form: 'form',
      hang: 'hang',
      fail: 'oops',
      tool: 'tool',
    },
    option: { id: 'depth', value: 'high' },
    earlier: { sessionId: 'earlier', said: 'old answer' },
    signIn: 'in',
  },
]);
