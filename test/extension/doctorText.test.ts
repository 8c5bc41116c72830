import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Finding } from '../../src/core/index.js';
import { doctorDocument, doctorNote } from '../../src/extension/doctor/doctor.js';

const facts = { agent: 'agentao', variables: [], loginFile: '~/login', hasLogin: false, hasDotEnv: false };
const found: Finding = {
  check: 'agent',
  state: 'ok',
  code: 'agent_found',
  params: { agent: 'agentao', command: 'agentao', commandLine: '/opt/agentao' },
};
const noKey: Finding = {
  check: 'provider',
  state: 'problem',
  code: 'provider_missing',
  params: { ...facts, loginCommand: 'agentao --login' },
};
const talks: Finding = { check: 'shell', state: 'warning', code: 'shell_noisy', params: { shell: '/bin/sh', output: 'Welcome' } };

test('the document begins with the problems and what to do about each', () => {
  const text = doctorDocument('agentao', [found, talks, noKey]);
  const order = [
    /^# Diagnostics: agentao$/m,
    /^1 problem found\.$/m,
    /^## ✗ No key was found for agentao$/m,
    /^→ Sign in with `agentao --login` in a terminal, or set an API key\.$/m,
    /^## ⚠ The startup files of \/bin\/sh print output$/m,
    /^## ✓ agentao: `agentao` was found$/m,
  ].map((words) => text.search(words));
  assert.ok(
    order.every((position) => position >= 0),
    text,
  );
  assert.deepEqual(
    order,
    order.toSorted((a, b) => a - b),
  );
  assert.match(doctorDocument('agentao', [found]), /No problems found\./);
});

test('a note only has what may explain a failure', () => {
  assert.equal(doctorNote([found]), undefined);
  assert.match(
    doctorNote([found, noKey]) ?? '',
    /^✗ No key was found for agentao\n {2}Environment: .*\n {2}Its own login .*\n {2}→ Sign in with [^\n]*$/,
  );
});
