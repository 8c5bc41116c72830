/** A request of the agent that names no session: nobody can be asked, but the user must know that something was missing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostOf, lines, text } from './launch.js';

test('it is canceled, and the turn says that something could not be read', async (t) => {
  const host = await hostOf(t, 'asksStrangely');
  const session = await host.newSession();
  await session.prompt(text('unknownSession'));
  assert.match(lines(session.state).join('\n'), /cancelled.*\nnotice messages_unread\n/);
});
