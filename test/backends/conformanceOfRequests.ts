/** Conformance tests for requests of the agent to its user. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { within } from '../real/deadline.js';
import { messages, type Open, type Prompts } from './peer.js';
import { yesTo } from './seam.js';

export function testRequests({ ask, askAgain, form }: Prompts & { readonly ask: string }, open: Open): void {
  const isAsked =
    (count: number) =>
    (_: unknown): boolean =>
      count-- <= 1;

  test('it is answered once, and later answers have no effect', async (t) => {
    const seam = await open(t);
    const turn = seam.prompt(ask);
    const request = await seam.asked.until('request', () => true);
    assert.equal(request.sessionId, seam.session.id);
    assert.equal(seam.answer(request, yesTo(request)), true);
    await within(turn, 'end');
    const yes = seam.words();
    const sent = messages(seam, 'sent');
    assert.equal(seam.answer(request, yesTo(request)), false);
    assert.equal(seam.answer(request, { type: 'cancel' }), false);
    assert.equal(messages(seam, 'sent'), sent);
    const again = seam.prompt(ask);
    const second = await seam.asked.until('second request', isAsked(2));
    seam.answer(second, { type: 'cancel' });
    await within(again, 'end');
    assert.notEqual(seam.words(), yes);
  });

  test('a cancel closes it as `cancel` before the turn ends, and the agent learns both', async (t) => {
    const seam = await open(t);
    let closedAtEnd = 0;
    const turn = seam.prompt(ask).finally(() => (closedAtEnd = seam.closed.all.length));
    const request = await seam.asked.until('request', () => true);
    const sent = messages(seam, 'sent');
    seam.session.cancel();
    await within(turn, 'end');
    assert.equal(closedAtEnd, 1);
    assert.equal(seam.closed.all[0]?.answer.type, 'cancel');
    assert.ok(messages(seam, 'sent') >= sent + 2);
    assert.equal(seam.answer(request, yesTo(request)), false);
  });

  if (form !== undefined)
    test('a form is answered with values, declined or dismissed, and the agent learns which', async (t) => {
      const seam = await open(t);
      const heard: string[] = [];
      for (const answer of [{ type: 'accept', values: { name: 'Ada' } }, { type: 'decline' }, { type: 'cancel' }] as const) {
        const turn = seam.prompt(form);
        const request = await seam.asked.until('form', isAsked(heard.length + 1));
        assert.ok(request.kind === 'form' && request.canDecline === true);
        assert.equal(seam.answer(request, { type: 'accept', values: { nobody: 'asked' } }), false);
        assert.equal(seam.answer(request, answer), true);
        await within(turn, 'end');
        heard.push(seam.words());
      }
      assert.ok(heard[0]?.includes('Ada'));
      assert.equal(new Set(heard).size, 3);
    });

  if (askAgain === undefined) return;
  test('a request after the cancel is not shown to the user', async (t) => {
    const seam = await open(t);
    const turn = seam.prompt(askAgain);
    await seam.asked.until('request', () => true);
    seam.session.cancel();
    await within(turn, 'end');
    assert.equal(seam.asked.all.length, 1);
    // The next turn may ask again.
    const next = seam.prompt(ask);
    const request = await seam.asked.until('request of the next turn', isAsked(2));
    seam.answer(request, yesTo(request));
    await within(next, 'end');
    assert.equal(seam.closed.all.at(-1)?.answer.type, 'accept');
  });
}
