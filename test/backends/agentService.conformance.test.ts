/** The conformance suite of the seam for the agent service's protocol. */
import { connectAgentService } from '../../src/core/backends/agentService/agentServiceBackend.js';
import { makeSessionId } from '../../src/core/backends/agentService/agentServiceBackend.js';
import { serverAt, startStandIn } from '../standIns/startStandIn.js';
import { conformance } from './conformance.js';

const inHost = 'waits in ACP Host';
const nothingWaits = 'the agent has no queue';
const notPart = 'not part of the protocol';

conformance([
  {
    name: 'agent-service',
    // Starts a separate server for each connection, which ends with the connection.
    connect: async (options) => {
      const ends: (() => unknown)[] = [];
      const { url } = await startStandIn({ after: (end) => void ends.push(end as () => unknown) }, 'agentService');
      const backend = await connectAgentService({ ...options, ...serverAt(url) });
      backend.onClosed(() => ends.forEach((end) => end()));
      return backend;
    },
    agent: { label: 'Stand-in', command: '', args: [], env: {} },
    prompts: { echo: (words) => ({ prompt: words, said: words }), hang: 'hang', fail: 'oops', die: 'die', babble: 'babble' },
    option: { id: 'model', value: 'deepseek-R1:32b' },
    earlier: { sessionId: makeSessionId(), said: '' },
    isServer: true,
    saysAtOnce: true,
    column: 'Agent service',
    remarks: {
      pieces: 'the answer arrives in one piece',
      images: notPart,
      stop: 'ACP Host closes the connection and opens it again for the next message',
      steer: inHost,
      followUp: inHost,
      takeBack: nothingWaits,
      tools: notPart,
      permissions: notPart,
      forms: notPart,
      resume: 'the service has no memory: each message stands alone',
      history: 'the service stores none',
      fork: 'ACP Host sends the history as text',
      signIn: 'set an API key instead',
    },
  },
]);
