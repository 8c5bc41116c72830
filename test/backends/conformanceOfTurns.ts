/** Conformance tests for turns, and for messages that reach an agent during a turn. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { within } from '../real/deadline.js';
import { messages, type Note, type Open, type Peer, queued } from './peer.js';
import { collect, eventsIn, rejects, type Told, wordsIn, yesTo } from './seam.js';

export function testTurn({ prompts, option, saysAtOnce, sessionsApart = false }: Peer, open: Open, note: Note): void {
  const { echo, hang, mute, fail, babble, tool, ask } = prompts;

  if (echo !== undefined) {
    test('it ends once, and has no events after its end', async (t) => {
      const seam = await open(t);
      const { prompt } = echo('one two three');
      for (const turn of [1, 2]) {
        const { stopReason } = await within(seam.prompt(prompt), `end of turn ${turn}`);
        assert.equal(stopReason, 'end_turn');
        const atEnd = seam.told.all.length;
        // When another call has been answered, anything sent after the end of the turn would have arrived.
        await seam.open();
        assert.deepEqual(seam.told.all.slice(atEnd), []);
      }
    });

    test('its text arrives in chunks that form exactly the whole, before the turn is over', async (t) => {
      const seam = await open(t);
      const { prompt, said } = echo('one  two\u2028three \u{1f44b}\u{1f3fd} e\u0301 <b> "4"\n\r\n\tfive');
      await within(seam.prompt(prompt), 'end');
      assert.equal(seam.words(), said);
      assert.ok(saysAtOnce === true || seam.told.all.filter((one) => wordsIn([one]) !== '').length > 1);
    });

    test('a prompt is converted to what the agent supports, a file to its text, and the rest is refused', async (t) => {
      const seam = await open(t);
      const { promptContent } = seam.backend.info;
      const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' } as const;
      const { prompt } = echo('what is this');
      note('images', promptContent.includes('image'));
      if (!promptContent.includes('image')) await rejects(seam.session.prompt('t1', [image], 'turn'), 'unsupported');
      else {
        await within(seam.session.prompt('t1', [image, { type: 'text', text: prompt }], 'turn'), 'end');
        assert.ok(seam.traffic.all.some((entry) => entry.direction === 'sent' && JSON.stringify(entry).includes(image.data)));
      }
      if (promptContent.includes('resource')) return;
      const file = { type: 'resource', resource: { uri: 'file:///a.txt', text: 'words-of-the-file' } } as const;
      await within(seam.session.prompt('t2', [file], 'turn'), 'end');
      assert.ok(wordsIn(seam.told.all).includes('words-of-the-file'));
    });

    test('two sessions each get their own events', async (t) => {
      const one = await open(t);
      const other = await one.open();
      const [first, second] = [echo('first one'), echo('second other')];
      await within(Promise.all([one.prompt(first.prompt), other.prompt(second.prompt)]), 'end');
      assert.deepEqual([one.words(), other.words()], [first.said, second.said]);
    });
  }

  if (hang !== undefined) {
    test('a second one is refused while it runs, and the agent does not get it', async (t) => {
      const { backend, ...seam } = await open(t);
      const turn = seam.prompt(hang);
      const sent = messages(seam, 'sent');
      await rejects(seam.prompt(hang), 'session_busy');
      assert.equal(messages(seam, 'sent'), sent);
      seam.session.cancel();
      assert.equal((await within(turn, 'end')).stopReason, 'cancelled');
    });
  }

  if (hang !== undefined && echo !== undefined) {
    test('a cancel without a turn does nothing, and does not affect the next one', async (t) => {
      const seam = await open(t);
      seam.session.cancel();
      const { prompt, said } = echo('one two');
      assert.equal((await within(seam.prompt(prompt), 'end')).stopReason, 'end_turn');
      assert.equal(seam.words(), said);
    });
  }

  if (prompts.ignoresFirstStop !== undefined) {
    const { ignoresFirstStop } = prompts;
    test('a cancel that the agent lost is repeated', async (t) => {
      const seam = await open(t);
      const turn = seam.prompt(ignoresFirstStop);
      seam.session.cancel();
      assert.equal((await within(turn, 'end')).stopReason, 'cancelled');
    });
  }

  if (mute !== undefined) {
    test('it has no deadline, and every other call has one', async (t) => {
      const seam = await open(t, { deadlines: { initializeMs: 30_000, sessionMs: 1_000, queryMs: 1_000 } });
      let isOver = false;
      const turn = seam.prompt(mute).finally(() => (isOver = true));
      await seam.told.until('word of the agent', () => seam.words() !== '');
      const told = collect<Told>();
      if (!sessionsApart) await rejects(seam.open(undefined, told), 'request_timeout');
      if (option !== undefined) await rejects(seam.session.setOption(option.id, option.value), 'request_timeout');
      assert.equal(isOver, false);
      assert.ok(seam.backend.stats.timeouts >= 1);
      seam.session.cancel();
      assert.equal((await within(turn, 'end')).stopReason, 'cancelled');
      // The session whose request timed out reports no events.
      assert.deepEqual(told.all, []);
    });
  }

  if (fail !== undefined) {
    test('one that fails is rejected, and the next one works', async (t) => {
      const seam = await open(t);
      await rejects(seam.prompt(fail), 'request_failed', 'provider_failed');
      assert.deepEqual(seam.ends.all, []);
      if (echo === undefined) return;
      const { prompt, said } = echo('one two');
      await within(seam.prompt(prompt), 'end');
      assert.equal(seam.words(), said);
    });
  }

  if (babble !== undefined) {
    test('unknown messages are harmless, counted and recorded in the traffic', async (t) => {
      const seam = await open(t);
      const received = messages(seam, 'received');
      assert.equal((await within(seam.prompt(babble), 'end')).stopReason, 'end_turn');
      const { noiseLines, invalidMessages, leftOut, unknownResponses } = seam.backend.stats;
      assert.equal(noiseLines, 1);
      assert.equal(seam.traffic.all.filter(({ kind }) => kind === 'noise').length, 1);
      assert.ok(invalidMessages + leftOut + unknownResponses > 3, JSON.stringify(seam.backend.stats));
      assert.ok(messages(seam, 'received') - received > 5);
      assert.ok(!seam.words().includes('lost'));
      assert.deepEqual(seam.ends.all, []);
      await seam.open();
    });
  }

  note('tools', tool !== undefined);
  note('stop', hang !== undefined);
  note('pieces', echo !== undefined && saysAtOnce !== true);
  if (tool !== undefined) {
    test('tool calls of different turns have different ids, whatever the agent calls them', async (t) => {
      const seam = await open(t);
      const idsOf = async (): Promise<readonly string[]> => {
        const from = seam.told.all.length;
        await within(seam.prompt(tool), 'end');
        return [...new Set(eventsIn(seam.told.all.slice(from)).flatMap((event) => (event.type === 'tool' ? [event.id] : [])))];
      };
      const [first, second] = [await idsOf(), await idsOf()];
      assert.deepEqual([first.length, second.length], [1, 1]);
      assert.notEqual(first[0], second[0]);
    });
  }

  for (const delivery of ['steer', 'followUp'] as const) {
    test(`\`${delivery}\` reaches the agent if it is listed; otherwise it is unsupported`, async (t) => {
      const seam = await open(t);
      const { deliveries } = seam.session;
      assert.ok(deliveries.includes('turn'));
      const isListed = deliveries.includes(delivery);
      note(delivery, isListed);
      if (!isListed) {
        const sent = messages(seam, 'sent');
        await rejects(seam.prompt(echo?.('more').prompt ?? 'more', delivery), 'unsupported');
        assert.equal(messages(seam, 'sent'), sent);
      } else if (ask !== undefined && echo !== undefined) {
        const { prompt, said } = echo('more words');
        const turn = seam.prompt(ask);
        const request = await seam.asked.until('request', () => true);
        await within(seam.session.prompt('own', [{ type: 'text', text: prompt }], delivery), 'taken words');
        if (delivery === 'followUp' && seam.session.queue !== undefined) assert.deepEqual(queued(seam), ['own']);
        seam.answer(request, yesTo(request));
        await within(turn, 'end');
        assert.ok(seam.words().endsWith(said), seam.words());
        assert.equal(wordsIn(seam.told.all, 'user'), prompt);
        const ofUser = eventsIn(seam.told.all).filter((event) => event.type === 'message' && event.role === 'user');
        assert.ok(ofUser.every((event) => 'promptId' in event && event.promptId === 'own'));
        assert.deepEqual(queued(seam), []);
      }
    });
  }

  test('if a delivery fills a queue of the agent, the queue can be listed and entries removed', async (t) => {
    const seam = await open(t);
    const { queue, deliveries } = seam.session;
    note('takeBack', queue !== undefined);
    if (queue === undefined) return;
    assert.ok(deliveries.includes('followUp'));
    if (ask === undefined || echo === undefined) return;
    const turn = seam.prompt(ask);
    const request = await seam.asked.until('request', () => true);
    for (const words of ['one two', 'never said']) await within(seam.prompt(echo(words).prompt, 'followUp'), 'taken words');
    const [, second] = queued(seam);
    assert.ok(second !== undefined);
    await queue.remove(second);
    await seam.told.until(
      'forgotten prompt',
      (one) => one.type === 'event' && one.event.type === 'unqueued' && one.event.promptId === second,
    );
    seam.answer(request, yesTo(request));
    await within(turn, 'end');
    assert.ok(seam.words().includes(echo('one two').said));
    assert.ok(!seam.words().includes('never'));
  });
}
