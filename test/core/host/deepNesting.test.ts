import assert from 'node:assert/strict';
import { it } from 'node:test';
import { conversationIn, hostOf, journalsOf, lines, text } from './launch.js';

for (const where of ['tool', 'request', 'notification']) {
  it(`a message that is nested too deeply is dropped without affecting others: ${where}`, async (t) => {
    const { journal, read } = conversationIn(await journalsOf(t));
    const host = await hostOf(t, 'nestsDeeply');
    const session = await host.newSession({ journal });
    assert.equal((await session.prompt(text(where))).type, 'ended');
    assert.ok(lines(session.state).includes('agent: hi'));
    assert.ok(host.readTraffic().length > 0 && host.diagnostics().requests.length > 0);
    await host.stop();
    const [saved] = await read();
    assert.ok(saved !== undefined && lines(saved).includes('agent: hi'));
  });
}
