/** What an agent says in its turn changes nothing but the text: a page, the list and the rest of a conversation need not look again. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { onlySpeak, reduceAll, type SessionEvent, type SessionState } from '../../src/core/index.js';
import { summaryOf, toOpenEntry } from '../../src/core/conversation/conversationList.js';
import { type ChatInput, chatDrawer } from '../../src/extension/chat/viewModel.js';
import { anyEvent } from '../core/session/arbitraryEvents.js';
import { conversation, sessionOf, start, turn } from './drawnChat.js';

const inputOf = (session: SessionState): ChatInput => ({
  conversation: conversation({ session, status: { state: 'busy', since: start } }),
  prompts: [],
  closed: undefined,
  chips: [],
  quietAfterMs: 60_000,
  now: start,
});

const anySpeech = fc
  .tuple(fc.string(), fc.constantFrom('agent' as const, 'thought' as const), fc.option(fc.constantFrom('m1', 'm2'), { nil: undefined }))
  .map(([text, role, messageId]): readonly SessionEvent[] => [
    { type: 'message', at: start + 1, role, ...(messageId !== undefined && { messageId }), content: { type: 'text', text } },
  ]);
const anyBatch = fc.oneof(anySpeech, anySpeech, fc.array(anyEvent, { maxLength: 3 }));

it('drawing only what was said leads to the same view as drawing everything', () => {
  let speeches = 0;
  fc.assert(
    fc.property(fc.array(anyBatch, { maxLength: 30 }), (batches) => {
      const drawer = chatDrawer();
      let session = sessionOf(turn);
      let drawn = drawer(inputOf(session));
      for (const events of batches) {
        const before = session;
        session = reduceAll(session, events);
        const all = drawer(inputOf(session));
        if (onlySpeak(session, [{ type: 'session', events }])) {
          speeches++;
          drawn = drawn.speak(session, start);
          assert.deepEqual(drawn.view, all.view);
          assert.equal(drawn.wakeAt, all.wakeAt);
          const facts = (of: SessionState) => {
            const state = inputOf(of).conversation;
            return [summaryOf(state), toOpenEntry({ state, folder: '/home/me/project', openedAt: start }, undefined)];
          };
          assert.deepEqual(facts(session), facts(before));
        } else {
          drawn = all;
        }
      }
    }),
  );
  assert.ok(speeches > 100, `${speeches} times`);
});

it('what the user says, or what an agent says without a turn, is more', () => {
  const said = (role: 'agent' | 'user'): SessionEvent => ({ type: 'message', at: start, role, content: { type: 'text', text: 'one' } });
  const ended: SessionEvent = {
    type: 'turn_ended',
    at: start,
    turnId: 't1',
    outcome: { type: 'ended', stopReason: 'end_turn', silent: false },
  };
  const speaks = (session: SessionState, ...events: readonly SessionEvent[]): boolean => onlySpeak(session, [{ type: 'session', events }]);
  assert.equal(speaks(sessionOf(turn), said('agent')), true);
  assert.equal(speaks(sessionOf(turn), said('agent'), said('user')), false);
  assert.equal(speaks(sessionOf(turn, ended), said('agent')), false);
  assert.equal(onlySpeak(sessionOf(turn), [{ type: 'live', live: true }]), false);
});
