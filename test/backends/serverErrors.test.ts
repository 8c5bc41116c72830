/** Providers quote the key that they reject, and a server passes that on. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConnectAgent } from '../../src/core/backends/agentBackend.js';
import { connectAgentCli } from '../../src/core/backends/agentCli/agentCliBackend.js';
import { connectAgentService } from '../../src/core/backends/agentService/agentServiceBackend.js';
import { serverAt, startStandIn } from '../standIns/startStandIn.js';
import { connectSeam, rejects } from './seam.js';

for (const [name, to, args] of [
  ['agentCli', connectAgentCli, ['--real']],
  ['agentService', connectAgentService, []],
] as const)
  test(`${name}: the error of a turn has no key`, async (t) => {
    const { url } = await startStandIn(t, name, args);
    const dial: ConnectAgent = (options) => to({ ...options, ...serverAt(url) });
    const seam = await connectSeam(t, dial, { agent: { label: 'Stand-in', command: '', args: [], env: {} } });
    const { prompt } = await seam.open();
    const { params, message } = await rejects(prompt('quotesKey'), 'request_failed');
    assert.equal(params.detail, 'Incorrect API key provided: [redacted]');
    assert.doesNotMatch(message, /0123456789/);
  });
