/** The options for a backend under measurement: without a user and without a log. */
import { tmpdir } from 'node:os';
import type { ConnectContext } from '../../src/core/backends/agentBackend.js';
import { systemClock } from '../../src/core/base/clock.js';
import { nullLogger } from '../../src/core/base/logger.js';
import { Redactor } from '../../src/core/base/redact.js';
import { defaultDeadlines } from '../../src/core/host/api.js';

export const benchContext = (): ConnectContext => ({
  cwd: tmpdir(),
  clientInfo: { name: 'bench', title: 'Bench', version: '0.0.0' },
  terminalAuth: false,
  deadlines: defaultDeadlines,
  baseEnv: process.env,
  services: { requestUser: async () => ({ type: 'cancel' }), filesIn: () => ({ peek: async () => undefined, peekNow: () => undefined }) },
  log: nullLogger,
  clock: systemClock,
  redactor: new Redactor(),
  onTraffic: () => {},
  signal: new AbortController().signal,
});
