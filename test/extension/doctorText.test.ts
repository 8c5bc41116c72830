import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Finding } from '../../src/core/index.js';
import { doctorDocument, doctorNote } from '../../src/extension/doctor/doctorText.js';

const found: Finding = { check: 'agent', state: 'ok', title: 'agentao was found', detail: '/opt/agentao' };
const noKey: Finding = { check: 'provider', state: 'problem', title: 'agentao has no key', detail: 'not set', advice: 'Set one.' };
const talks: Finding = { check: 'shell', state: 'warning', title: 'The start files print', advice: 'Be quiet.' };

test('the document begins with the problems, and says of each what to do', () => {
  const text = doctorDocument('agentao', [found, talks, noKey]);
  const order = [
    /^# Diagnostics: agentao$/m,
    /^1 problem found\.$/m,
    /^## ✗ agentao has no key$/m,
    /^→ Set one\.$/m,
    /^## ⚠ The start files print$/m,
    /^## ✓ agentao was found$/m,
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

test('a note holds only what may explain a failure', () => {
  assert.equal(doctorNote([found]), undefined);
  assert.equal(doctorNote([found, noKey]), '✗ agentao has no key\n  not set\n  → Set one.');
});
