/** The fault diskFull affects only the host's journal and no agent, so it has no row in the table. */
import assert from 'node:assert/strict';
import { afterEach, it } from 'node:test';
import { conversationIn, hostOf, lines, text } from '../core/host/launch.js';
import { limitFiles, openLab } from '../core/journal/journalLab.js';

afterEach(() => limitFiles('unlimited'));

it('diskFull: the conversation continues, the user is notified once, and everything is saved once there is space again', {
  skip: process.platform !== 'linux' && 'only Linux can limit the files of a running process',
}, async (t) => {
  const told: string[] = [];
  let tell = (): void => {};
  const troubled = new Promise<void>((resolve) => (tell = resolve));
  const lab = await openLab(t, {
    onError: ({ code }) => {
      told.push(code);
      tell();
    },
  });
  const { journal, read } = conversationIn(lab.store);
  const host = await hostOf(t, 'obedient');
  const session = await host.newSession({ journal });
  await session.prompt(text('say before'));
  limitFiles(300);
  for (const words of ['say one', 'say two']) assert.equal((await session.prompt(text(words))).type, 'ended');
  await troubled;
  limitFiles('unlimited');
  await session.prompt(text('say after'));
  await host.stop({ force: true });
  assert.deepEqual(told, ['storage_failed']);
  assert.deepEqual((await read()).map(lines), [lines(session.state)]);
  assert.equal(lines(session.state).length, 12);
});
