import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentBackText } from '../../src/text/noticeText.js';

test('the text says that an agent restarted, or that a server was reconnected to', () => {
  assert.equal(agentBackText({ label: 'agentao' }), 'agentao restarted and resumed the session');
  assert.equal(agentBackText({ label: 'Agent-CLI', isServer: true }), 'Reconnected to Agent-CLI and resumed the session');
});
