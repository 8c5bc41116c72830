/** The conformance suite of the seam for ACP: agents with every capability and with none, the SDK's own agent, and the demo agent. */
import { fileURLToPath } from 'node:url';
import { connectAcp } from '../../src/core/backends/acp/acpBackend.js';
import type { ConnectOptions } from '../../src/core/backends/agentBackend.js';
import { demoAgentProgram } from '../cli/programs.js';
import { conformance } from './conformance.js';
import type { Peer } from './peer.js';

function agent(name: string, env: ConnectOptions['agent']['env'] = {}): ConnectOptions['agent'] {
  return { label: name, command: process.execPath, args: [fileURLToPath(new URL(`../agents/${name}.mjs`, import.meta.url))], env };
}

const prompts: Peer['prompts'] = {
  echo: (words) => ({ prompt: words, said: words }),
  ask: 'ask',
  askAgain: 'askAgain',
  form: 'form',
  hang: 'hang',
  mute: 'mute',
  fail: 'oops',
  die: 'die',
  deaf: 'deaf',
  family: 'family',
  babble: 'babble',
  tool: 'tool',
};
const option = { id: 'depth', value: 'high' };
const toAgent = 'if the agent supports it';
const inHost = 'waits in ACP Host';
const nothingWaits = 'the agent has no queue';
/** Remarks about the protocol, and about what only some of its agents support. */
const never: Peer['remarks'] = {
  steer: 'waits in ACP Host, unless the agent offers `_session/steering` or asks for it',
  followUp: inHost,
  takeBack: nothingWaits,
};
const notByAll: Peer['remarks'] = {
  images: toAgent,
  resume: toAgent,
  history: toAgent,
  fork: 'if the agent supports it; otherwise ACP Host sends the history as text',
  signIn: toAgent,
  close: toAgent,
};

conformance([
  {
    name: 'acp, the least',
    connect: connectAcp,
    agent: agent('conforms'),
    prompts,
    option,
    column: 'ACP',
    remarks: { ...never, ...notByAll },
  },
  {
    name: 'acp, everything',
    connect: connectAcp,
    agent: agent('conforms', { CONFORMS_CAN: 'load resume fork close signIn image' }),
    prompts,
    option,
    earlier: { sessionId: 'earlier', said: 'old answer' },
    signIn: 'in',
    column: 'ACP',
    remarks: never,
  },
  {
    name: 'acp, models apart',
    connect: connectAcp,
    agent: agent('namesItselfAgentao'),
    prompts: {},
    option: { id: 'model', value: 'openai/two' },
  },
  {
    name: 'acp, by the SDK',
    connect: connectAcp,
    agent: agent('sdkAgent'),
    prompts: { echo: (words) => ({ prompt: words, said: `You said: ${words}` }), hang: 'wait', ask: 'permission', form: 'form' },
  },
  {
    name: 'acp, the demo agent',
    connect: connectAcp,
    agent: {
      label: 'Demo agent',
      command: process.execPath,
      args: [demoAgentProgram],
      env: { ACP_HOST_DEMO_PACE_MS: '1' },
    },
    prompts: {},
  },
]);
