/** Commands about the sessions of an agent in the Pi family. The peer is a stand-in, which does not prove interoperability. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, test, type TestContext } from 'node:test';
import { connectPi, connectXcsh } from '../../src/core/backends/pi/piBackend.js';
import { errorMessage } from '../../src/text/errorText.js';
import { formMessage } from '../../src/text/requestText.js';
import { within } from '../real/deadline.js';
import { piDialects, piStandIn, type StandInDialect } from './piPeers.js';
import { connectSeam, eventsIn, type OpenSession, rejects, type Seam } from './seam.js';

const sessions = mkdtempSync(path.join(tmpdir(), 'acp-host-pi-forks-'));
after(() => rmSync(sessions, { recursive: true, force: true }));

async function open(t: TestContext, dialect: StandInDialect): Promise<Seam & OpenSession> {
  const seam = await connectSeam(t, dialect === 'xcsh' ? connectXcsh : connectPi, { agent: piStandIn(dialect, sessions) });
  return { ...seam, ...(await seam.open()) };
}

async function answer(seam: OpenSession, prompt: string): Promise<string> {
  await within(seam.prompt(prompt), 'end');
  return seam.words();
}

/** Returns the text of a saved session, as another process gets it when it opens the session. */
async function historyOf(seam: Seam, file: string): Promise<readonly string[]> {
  const { told } = await seam.open({ method: 'load', sessionId: file });
  return told.all.flatMap((one) => {
    if (one.type !== 'history' || one.event.type !== 'message' || one.event.content.type !== 'text') return [];
    return [one.event.content.text];
  });
}

const fileIn = (words: string): string => /^`(.+)`/.exec(words)?.[1] ?? assert.fail(words);

for (const dialect of piDialects)
  describe(dialect, () => {
    test('a fork is a separate session that ends before a message, and this one stays unchanged', async (t) => {
      const seam = await open(t, dialect);
      for (const words of ['one', 'two']) await answer(seam, words);
      const forked = await answer(seam, '/fork 2');
      assert.ok(forked.endsWith('\n\n> two'), forked);
      const made = eventsIn(seam.told.all).flatMap((one) =>
        one.type === 'host_notice' && one.code === 'session_made' ? [one.params] : [],
      );
      assert.deepEqual(made, [{ sessionId: fileIn(forked) }]);
      assert.equal(await answer(seam, 'three'), 'three');
      assert.deepEqual(await historyOf(seam, fileIn(forked)), ['one', 'one']);
      assert.ok(readFileSync(seam.session.id, 'utf8').includes('three'));
      assert.ok(!readFileSync(fileIn(forked), 'utf8').includes('three'));
    });

    test('without a number, the user chooses the message, or none', async (t) => {
      const seam = await open(t, dialect);
      for (const words of ['one', 'two']) await answer(seam, words);
      const turn = answer(seam, '/fork');
      const request = await seam.asked.until('choice', () => true);
      const [field] = request.kind === 'form' ? request.fields : [];
      assert.equal(request.kind === 'form' && formMessage(request), 'Fork before which message?');
      assert.deepEqual(field?.type === 'select' && field.choices.map(({ label }) => label), ['1. one', '2. two']);
      seam.answer(request, { type: 'accept', values: { answer: '2' } });
      assert.ok((await turn).endsWith('> two'));
      const declined = answer(seam, '/fork');
      const again = await seam.asked.until('another choice', (one) => one !== request);
      seam.answer(again, { type: 'cancel', why: 'dismissed' });
      assert.equal(await declined, '');
    });

    test('a session that was closed says and asks nothing, whatever its process still sends', async (t) => {
      const seam = await open(t, dialect);
      await answer(seam, 'asksWhenClosed');
      const { length } = seam.told.all;
      await within(Promise.resolve(seam.session.close?.()), 'close');
      assert.deepEqual([seam.told.all.slice(length), seam.asked.all], [[], []]);
    });

    test('a command for a new session is refused with a reason, and not sent to the model', async (t) => {
      const seam = await open(t, dialect);
      for (const words of ['/new', '/new session']) {
        const error = await rejects(seam.prompt(words), 'unsupported');
        assert.match(errorMessage(error.toData(), 'Pi'), /"New Conversation"/);
      }
      const turn = seam.prompt('wait');
      await seam.told.until('beginning', (one) => one.type === 'event' && one.event.type === 'message' && one.event.role === 'agent');
      for (const delivery of ['steer', 'followUp'] as const)
        for (const words of ['/new', '/compact']) await rejects(seam.prompt(words, delivery), 'unsupported');
      seam.session.cancel();
      await within(turn, 'end');
      const sent = seam.traffic.all.filter(({ direction }) => direction === 'sent').map((entry) => JSON.stringify(entry));
      assert.ok(sent.some((line) => line.includes('wait')) && !sent.some((line) => line.includes('/new')));
      assert.equal(await answer(seam, 'two'), 'two');
    });

    test('an unknown message is refused; the statistics and the last answer are shown', async (t) => {
      const seam = await open(t, dialect);
      await answer(seam, 'one');
      for (const which of ['0', '2', 'x']) await rejects(seam.prompt(`/fork ${which}`), 'request_failed');
      assert.match(await answer(seam, '/stats'), /^```\nsessionId: .+\ncost: 0\.45\n/);
      assert.equal(await answer(seam, '/last'), 'last words');
    });

    test('a copy of the session is created if the agent supports it', async (t) => {
      const seam = await open(t, dialect);
      await answer(seam, 'one');
      const commands = eventsIn(seam.told.all).flatMap((event) => (event.type === 'commands' ? event.commands : []));
      assert.equal(
        commands.some(({ name }) => name === 'clone'),
        dialect !== 'xcsh',
      );
      if (dialect === 'xcsh') {
        const { params } = await rejects(seam.prompt('/clone'), 'unsupported');
        assert.deepEqual([params.reason, params['command']], ['command', '/clone']);
      } else assert.deepEqual(await historyOf(seam, fileIn(await answer(seam, '/clone'))), ['one', 'one']);
    });
  });
