/** Which modes of real agents ask before nothing, so that users are warned. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { neverAsks } from '../../../src/core/session/sessionOption.js';

const silent: readonly (readonly [value: string, name: string, description?: string])[] = [
  ['full-access', 'Full access', 'All tools, no prompts.'],
  ['full-access', 'Full Access', 'Can edit files outside this workspace and use the network without asking for approval.'],
  ['bypassPermissions', 'Bypass Permissions', 'Bypass all permission checks'],
  ['yolo', 'YOLO', 'Auto-approves all tools'],
  ['https://agentclientprotocol.com/protocol/session-modes#autopilot', 'Autopilot'],
  ['danger-full-access', 'danger-full-access'],
  ['m3', 'Fast', 'Runs everything without any confirmation.'],
  ['auto-approve', 'Auto-approve'],
];
const asking: readonly (readonly [value: string, name: string, description?: string])[] = [
  ['default', 'Default', 'Asks before it changes a file or runs a command.'],
  ['read-only', 'Read only', 'Never changes anything.'],
  ['workspace-write', 'Workspace write', 'Writes files in the folder without asking.'],
  ['acceptEdits', 'Accept Edits', 'Auto-accept file edit operations'],
  ['autoEdit', 'Auto Edit', 'Auto-approves edit tools'],
  ['auto-accept-edits', 'Auto-accept edits'],
  ['dontAsk', "Don't Ask", "Don't prompt for permissions, deny if not pre-approved"],
  ['auto', 'Auto', 'Use a model classifier to approve/deny permission prompts'],
  ['plan', 'Plan', 'Never runs a command without asking.'],
  ['safe', 'Safe', 'Does not skip all checks.'],
];

for (const [value, name, description] of silent)
  test(`${name} asks before nothing`, () => {
    assert.equal(neverAsks({ value, name, ...(description !== undefined && { description }) }), true);
  });

for (const [value, name, description] of asking)
  test(`${name} still asks or refuses`, () => {
    assert.equal(neverAsks({ value, name, ...(description !== undefined && { description }) }), false);
  });
