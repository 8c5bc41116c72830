/** What an engine holds no longer than it is of use: it may run for weeks. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { queryObjects } from 'node:v8';
import { emptyConversation, emptySession, type Engine } from '../../../src/core/index.js';
import { AgentProcesses } from '../../../src/core/engine/agentProcesses.js';
import { Attachment } from '../../../src/core/engine/attachment.js';
import { EngineFactsSource } from '../../../src/core/engine/engineFacts.js';
import { openEngine } from '../store/engineLab.js';
import { openStoreLab } from '../store/storeLab.js';

/** Counts what is left after a garbage collection. */
const attachments = (): number => queryObjects(Attachment, { format: 'count' });

async function visit(engine: Engine, cwd: string, id: string): Promise<void> {
  const wire = engine.connect();
  await wire.call('attach', { program: 'terminal', use: 'share' });
  await wire.call('open', { id, cwd });
  await wire.call('execute', { id, command: { type: 'write_draft', text: 'half a thought' } });
  wire.dispose();
}

it('a front end until it leaves, whatever it did', async (t) => {
  const lab = await openStoreLab(t);
  const { engine } = await openEngine(t, lab.state);
  const before = attachments();
  for (const id of ['one', 'two', 'three']) await visit(engine, lab.workspace, id);
  assert.equal(attachments(), before);
});

it('of a conversation, only what the agent offers in others, too', async (t) => {
  const lab = await openStoreLab(t);
  const { folders, agents } = lab.open();
  const source = new EngineFactsSource({ folders, agents }, new AgentProcesses());
  const conversation = (): WeakRef<object> => {
    const session = { ...emptySession('s', lab.workspace, 1), options: [], commands: [] };
    const agent = { id: 'agent', label: 'Agent', isFallback: false };
    source.rememberOffer({ ...emptyConversation('one', lab.workspace), live: true, agent, session });
    return new WeakRef(session);
  };
  const session = conversation();
  await new Promise((resolve) => setImmediate(resolve));
  attachments();
  assert.equal(session.deref(), undefined);
  source.dispose();
});
