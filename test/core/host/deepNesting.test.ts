import assert from 'node:assert/strict';
import { it } from 'node:test';
import { nullLogger } from '../../../src/core/base/logger.js';
import { Redactor } from '../../../src/core/base/redact.js';
import { createJournalStore } from '../../../src/core/journal/journalStore.js';
import { hostOf, lines, temporaryFolder, text } from './launch.js';
import { readAll } from '../journal/journalLab.js';

for (const where of ['tool', 'request', 'notification']) {
  it(`a message that is nested too deeply is dropped without affecting others: ${where}`, async (t) => {
    const journals = createJournalStore({ directory: await temporaryFolder(t), redactor: new Redactor(), log: nullLogger });
    const host = await hostOf(t, 'nestsDeeply', { journals });
    const session = await host.newSession();
    assert.equal((await session.prompt(text(where))).type, 'ended');
    assert.ok(lines(session.state).includes('agent: hi'));
    assert.ok(host.readTraffic().length > 0 && host.diagnostics().requests.length > 0);
    await host.stop();
    const kept = await readAll(journals, host.agent.id, session.id);
    assert.ok(kept?.events.some((event) => event.type === 'message' && event.role === 'agent'));
  });
}
