import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toAuthMethod } from '../../../src/core/backends/acp/acpHandshake.js';

const whole = { command: 'vendor', args: ['login'], env: { A: '1' } };

test('a whole command in the metadata is what signs in, whatever the type of the method', () => {
  for (const type of ['terminal', 'agent', undefined]) {
    const meta = { 'terminal-auth': whole };
    const method = toAuthMethod({ id: 'x', name: 'Sign in', ...(type === 'terminal' && { type, args: ['--wrong'] }), _meta: meta });
    assert.deepEqual(method, { id: 'x', name: 'Sign in', meta, type: 'terminal', ...whole }, String(type));
  }
});
