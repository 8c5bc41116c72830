/** The conformance suite of the seam for Agent-CLI's protocol, both as documented and as its program implements it. */
import type { ConnectAgent } from '../../src/core/backends/agentBackend.js';
import { connectAgentCli } from '../../src/core/backends/agentCli/agentCliBackend.js';
import { serverAt, startStandIn } from '../standIns/startStandIn.js';
import { conformance } from './conformance.js';
import type { Peer } from './peer.js';

/** Starts a separate server for each connection, which ends with the connection. */
const connectTo =
  (personality: string): ConnectAgent =>
  async (options) => {
    const ends: (() => unknown)[] = [];
    const { url } = await startStandIn({ after: (end) => void ends.push(end as () => unknown) }, 'agentCli', [personality]);
    const backend = await connectAgentCli({ ...options, ...serverAt(url) });
    backend.onClosed(() => ends.forEach((end) => end()));
    return backend;
  };

const prompts: Peer['prompts'] = {
  echo: (words) => ({ prompt: words, said: words }),
  ask: 'ask',
  askAgain: 'askAgain',
  hang: 'hang',
  ignoresFirstStop: 'hangDeaf',
  fail: 'oops',
  die: 'die',
  babble: 'babble',
  tool: 'tool',
};
const inHost = 'waits in ACP Host';
const nothingWaits = 'the agent has no queue';
const remarks: Peer['remarks'] = {
  images: 'the server tells its model only the type of each image',
  steer: `${inHost}, because the server drops messages that arrive during a turn`,
  followUp: inHost,
  takeBack: nothingWaits,
  forms: 'not part of the protocol',
  resume: 'the server forgets a conversation when its connection ends',
  history: 'the server stores none',
  fork: 'ACP Host sends the history as text',
  signIn: 'the server has no sign-in',
};
const agent: Peer['agent'] = { label: 'Stand-in', command: '', args: [], env: {} };

conformance(
  ['--documented', '--real'].map((personality) => ({
    name: `agent-cli, ${personality.slice(2)}`,
    connect: connectTo(personality),
    agent,
    prompts,
    isServer: true as const,
    column: 'Agent-CLI Remote' as const,
    remarks,
  })),
);
