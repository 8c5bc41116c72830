/** The conformance suite of the seam through this host, ACP, `acp-host serve`, and the stand-in for Pi. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';
import { connectAcp } from '../../src/core/backends/acp/acpBackend.js';
import { conformance } from '../backends/conformance.js';
import { piStandIn } from '../backends/piPeers.js';
import { served } from './served.js';

const sessions = mkdtempSync(path.join(tmpdir(), 'acp-host-pi-sessions-'));
after(() => rmSync(sessions, { recursive: true, force: true }));
const piAgent = piStandIn('pi087', sessions);

conformance([
  {
    ...served('serve, of the stand-in for Pi', 'pi', [piAgent.command, ...piAgent.args]),
    connect: connectAcp,
    prompts: { echo: (words) => ({ prompt: words, said: words }), ask: 'ask', hang: 'hang', fail: 'oops', tool: 'tool' },
    option: { id: 'steering', value: 'all' },
  },
]);
