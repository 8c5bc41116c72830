/**
 * Checks what makes each agent ask before it acts: one of its modes, or an extension from media/. The fixture contains what the agents
 * reported:
 * claude-agent-acp 0.101.0, claude-code-acp 0.16.2, gemini-cli 0.61.0, codex-acp 2.6.0, pi-acp 0.0.34.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as z from 'zod/mini';
import { findKnownAgent } from '../../../src/core/index.js';

const modeSchema = z.object({ id: z.string(), name: z.string(), description: z.nullable(z.string()) });
const announcedSchema = z.array(
  z.object({
    agentInfo: z.object({ name: z.string(), version: z.string() }),
    modes: z.object({ currentModeId: z.string(), availableModes: z.array(modeSchema) }),
  }),
);
const file = new URL('../../fixtures/announcedModes.json', import.meta.url);
const announced = announcedSchema.parse(JSON.parse(readFileSync(file, 'utf8')));

/** Matches the agents' own descriptions of such a mode. */
const saysThatItAsks = /prompts for|always ask|requires approval/i;

for (const { agentInfo, modes } of announced)
  test(`${agentInfo.name} ${agentInfo.version} has a mode or an extension that makes it ask`, () => {
    const gate = findKnownAgent(agentInfo.name)?.askGate;
    assert.ok(gate);
    if (gate.by === 'extension') {
      assert.ok(modes.availableModes.every(({ name }) => name.startsWith('Thinking: ')));
      assert.ok(readFileSync(new URL(`../../../media/pi/${gate.file}`, import.meta.url), 'utf8').includes('confirm'));
      return;
    }
    const mode = modes.availableModes.find(({ id }) => id === gate.mode);
    assert.match(mode?.description ?? '', saysThatItAsks);
  });
