/** What an engine remembers of agents. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { emptyConversation, emptySession, type SessionOption } from '../../../src/core/index.js';
import { AgentProcesses } from '../../../src/core/engine/agentProcesses.js';
import { EngineFactsSource } from '../../../src/core/engine/engineFacts.js';
import { openStoreLab } from '../store/storeLab.js';

it('conversations with other options of one agent do not replace what is remembered again and again', async (t) => {
  const lab = await openStoreLab(t);
  const { folders, agents } = lab.open();
  const source = new EngineFactsSource({ folders, agents }, new AgentProcesses());
  t.after(() => source.dispose());
  const written: string[] = [];
  agents.onChange((name) => written.push(name));
  const [one, other] = [false, true].map((currentValue, index) => {
    const option: SessionOption = { id: 'fast', name: 'Fast', type: 'boolean', currentValue };
    const session = { ...emptySession(`s${index}`, lab.workspace, 1), options: [option] };
    const agent = { id: 'agent', label: 'Agent', isFallback: false };
    return { ...emptyConversation(`c${index}`, lab.workspace), live: true, agent, session };
  });
  assert.ok(one !== undefined && other !== undefined);
  // Each turn of either changes more than what its agent offers.
  for (const state of [one, other, one, other, one]) source.rememberOffer({ ...state, draft: { text: 'a', chips: [] } });
  assert.equal(written.length, 2);
  assert.deepEqual(source.state.agents['agent']?.options, other.session.options);
});
