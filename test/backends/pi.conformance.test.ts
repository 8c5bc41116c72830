/** The conformance suite of the seam for the Pi family, with a stand-in for each dialect. It does not prove interoperability. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';
import { connectPi, connectXcsh } from '../../src/core/backends/pi/piBackend.js';
import { conformance } from './conformance.js';
import type { Peer } from './peer.js';
import { piDialects, piStandIn } from './piPeers.js';

const sessions = mkdtempSync(path.join(tmpdir(), 'acp-host-pi-sessions-'));
after(() => rmSync(sessions, { recursive: true, force: true }));

const prompts: Peer['prompts'] = {
  echo: (words) => ({ prompt: words, said: words }),
  ask: 'ask',
  hang: 'hang',
  ignoresFirstStop: 'ignoresFirstStop',
  mute: 'mute',
  fail: 'oops',
  die: 'die',
  deaf: 'deaf',
  family: 'family',
  babble: 'babble',
  tool: 'tool',
};

const columns = { pi074: 'Pi', pi087: 'Pi', xcsh: 'xcsh, omp' } as const;
const takeBack = { pi074: 'from Pi 0.84.4', pi087: undefined, xcsh: 'the agent has no command for it' } as const;
const remarks: Peer['remarks'] = {
  permissions: 'from extensions only',
  fork: 'ACP Host sends the history as text',
  forms: 'extensions ask one question at a time',
  signIn: "sign in with the agent's own program",
};

conformance(
  piDialects.map((dialect) => ({
    name: `stand-in for ${dialect}`,
    connect: dialect === 'xcsh' ? connectXcsh : connectPi,
    agent: piStandIn(dialect, sessions),
    // An agent that does not read while it is being stopped never gets the answer to a request that it sends then.
    prompts: dialect === 'xcsh' ? prompts : { ...prompts, askAgain: 'askAgain' },
    sessionsApart: true,
    option: { id: 'steering', value: 'all' },
    earlier: { sessionId: 'earlier', said: 'old answer' },
    column: columns[dialect],
    remarks: { ...remarks, ...(takeBack[dialect] === undefined ? {} : { takeBack: takeBack[dialect] }) },
  })),
);
