/** The conformance suite of the seam through this host, ACP, `acp-host serve`, and an agent without JSON-RPC. */
import { parrotAgent } from '../backends/addParrot.js';
import { conformance } from '../backends/conformance.js';
import { served } from './served.js';

conformance([
  {
    ...served('serve, of the parrot', 'parrot', [parrotAgent.command, ...parrotAgent.args]),
    prompts: {
      echo: (words) => ({ prompt: words, said: `${words} ` }),
      ask: 'ask',
      askAgain: 'askAgain',
      hang: 'hang',
      fail: 'oops',
    },
    option: { id: 'mood', value: 'loud' },
  },
]);
