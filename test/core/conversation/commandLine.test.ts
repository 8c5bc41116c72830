/**
 * What the command line needs from a conversation and the editor does not: prompts that wait behind an interrupted turn, and choices made
 * beforehand.
 */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { ConversationClient } from '../../../src/core/index.js';
import {
  heldIn,
  type Line,
  openFrontEnd,
  overCuts,
  overEachLine,
  reached,
  run,
  said,
  say,
  settled,
  text,
  unbrokenLines,
} from './frontEnd.js';

const send = (conversation: ConversationClient, words: string) =>
  run(conversation, { type: 'send', content: text(words), order: 'after_held' });
const ends = (conversation: ConversationClient): readonly string[] =>
  (conversation.state.session?.items ?? []).flatMap((item) =>
    item.kind === 'turn_end' ? [item.outcome.type === 'ended' ? item.outcome.stopReason : item.outcome.type] : [],
  );
const mortal = { agent: 'diesOnce' };

overCuts('an interrupted turn', (line) => {
  it('later prompts are held until the interrupted one is sent again, which goes first', async (t) => {
    const frontEnd = await openFrontEnd(t, line, mortal);
    const conversation = await frontEnd.open();
    await say(conversation, 'first');
    await say(conversation, 'once');
    await send(conversation, 'last');
    assert.deepEqual(heldIn(conversation.state), ['turn_interrupted']);
    await run(conversation, { type: 'retry_now' });
    await reached(conversation, ({ live }) => live);
    assert.equal(conversation.state.openedBy, 'loaded');
    await settled(conversation, { type: 'resend_interrupted' });
    assert.deepEqual(ends(conversation), ['end_turn', 'interrupted', 'end_turn', 'end_turn']);
    assert.deepEqual(
      said(conversation.state).filter((entry) => entry.startsWith('agent')),
      ['agent: You said: first', 'agent: half an ans', 'agent: You said: once', 'agent: You said: last'],
    );
  });

  it('it can be skipped, or sent again with a different text', async (t) => {
    const conversation = await (await openFrontEnd(t, line)).open();
    await say(conversation, 'die 1');
    await send(conversation, 'say last');
    await settled(conversation, { type: 'release_held' });
    assert.equal(said(conversation.state).at(-2), 'agent: last');
    assert.equal((await conversation.execute({ type: 'resend_interrupted' })).ok, false);
    await say(conversation, 'die 1');
    await settled(conversation, { type: 'resend_interrupted', content: text('say changed') });
    assert.equal(said(conversation.state).at(-2), 'agent: changed');
  });

  it('it is sent with the context to the session that replaces the old one, and held prompts follow automatically', async (t) => {
    const frontEnd = await openFrontEnd(t, line, { ...mortal, env: { DIES_ONCE_CANNOT_LOAD: '1' } });
    const conversation = await frontEnd.open();
    await say(conversation, 'once');
    await reached(conversation, ({ blocker }) => blocker?.type === 'resume_refused');
    await send(conversation, 'heard');
    await run(conversation, { type: 'continue_with_context', waiting: 'send' });
    assert.equal(conversation.state.openedBy, 'replacement');
    assert.equal(conversation.state.session?.continues, 's1');
    assert.notEqual(conversation.state.interrupted, undefined);
    await settled(conversation, { type: 'release_held' });
    assert.match(
      said(conversation.state).find((entry) => entry.startsWith('agent')) ?? '',
      /acp-host:conversation\/s1[^]*> half an ans[^]*"heard"/,
    );
  });
});

overCuts('a cancel of one turn', (line) => {
  it('it stops the running turn, and queued prompts follow', async (t) => {
    const conversation = await (await openFrontEnd(t, line)).open();
    await run(conversation, { type: 'send', content: text('wait') });
    await reached(conversation, ({ session }) => session?.items.some(({ kind }) => kind === 'tool') === true);
    await send(conversation, 'say hello');
    await settled(conversation, { type: 'cancel', scope: 'turn' });
    assert.deepEqual(ends(conversation), ['cancelled', 'end_turn']);
  });

  it('it stops a turn that has not begun yet as soon as it begins', async (t) => {
    const conversation = await (await openFrontEnd(t, line)).open();
    await send(conversation, 'wait');
    await send(conversation, 'say hello');
    await settled(conversation, { type: 'cancel', scope: 'turn' });
    assert.deepEqual(ends(conversation), ['cancelled', 'end_turn']);
    assert.equal(said(conversation.state).at(-2), 'agent: hello');
  });
});

overCuts('a cancel for a turn that does not exist', (line) => {
  it('it does not stop a later turn', async (t) => {
    let isTrusted = false;
    const conversation = await (await openFrontEnd(t, line, { isTrusted: () => isTrusted })).open();
    await say(conversation, 'say one');
    await run(conversation, { type: 'cancel', scope: 'turn' });
    isTrusted = true;
    await settled(conversation, { type: 'retry' });
    assert.deepEqual(ends(conversation), ['end_turn']);
  });
});

overCuts('an agent that is not restarted automatically', (line) => {
  it('the user can start it again, which sends nothing', async (t) => {
    const conversation = await (await openFrontEnd(t, line)).open();
    await say(conversation, 'dieTwice');
    await reached(conversation, ({ status }) => status.state === 'failed');
    await send(conversation, 'say never');
    await run(conversation, { type: 'retry' });
    assert.deepEqual(
      [conversation.state.live, ends(conversation), heldIn(conversation.state)],
      [true, ['interrupted'], ['turn_interrupted']],
    );
  });
});

const tellsEvents = (line: Line): void => {
  it('they arrive as events after the initial state of the session', async (t) => {
    const conversation = await (await openFrontEnd(t, line)).open();
    const events: string[] = [];
    const live: unknown[] = [];
    conversation.onChange((change) => {
      for (const event of change.events ?? []) {
        if (event.type === 'session_shown') events.push(`shown with ${event.session?.commands.length} commands`);
        if (event.type === 'session') events.push(...event.events.map(({ type }) => type));
        if (event.type === 'live') live.push(event.live);
      }
    });
    await run(conversation, { type: 'open' });
    assert.deepEqual([events, live], [['shown with 0 commands', 'commands'], [true]]);
  });

  it('they come before the complete turn of a prompt that waited for the session', async (t) => {
    const conversation = await (await openFrontEnd(t, line, mortal)).open();
    const events: string[] = [];
    conversation.onChange((change) => {
      for (const event of change.events ?? []) if (event.type === 'session') events.push(...event.events.map(({ type }) => type));
    });
    await say(conversation, 'first');
    assert.deepEqual(events, ['turn_started', 'message', 'turn_ended']);
  });
};
overEachLine('messages of an agent right after a session is opened', tellsEvents, unbrokenLines);
