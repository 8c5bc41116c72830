import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { checkRecall } from '../../../src/core/host/recallCheck.js';
import type { SessionEvent } from '../../../src/core/session/event.js';
import type { HostNotice } from '../../../src/core/session/hostNotice.js';
import type { TurnOutcome } from '../../../src/core/session/model.js';
import { emptySession, reduceAll } from '../../../src/core/session/reducer.js';

const ended: TurnOutcome = { type: 'ended', stopReason: 'end_turn', silent: false };
const cut: TurnOutcome = { type: 'interrupted', error: { code: 'agent_exited', params: { detail: 'gone' } } };
const turn = (words: string, index: number, outcome: TurnOutcome): SessionEvent[] => [
  { type: 'turn_started', at: index, turnId: `t${index}`, content: [{ type: 'text', text: words }] },
  { type: 'turn_ended', at: index, turnId: `t${index}`, outcome },
];

function remember(
  prompts: readonly string[],
  told: string,
  o: { readonly lastIsCut?: boolean; readonly silent?: boolean } = {},
): HostNotice | undefined {
  const events = prompts.flatMap((words, index) => turn(words, index, o.lastIsCut === true && index === prompts.length - 1 ? cut : ended));
  return checkRecall(reduceAll(emptySession('s', '/workspace', 0), events), { told: o.silent !== true, prompts: told }, (text) =>
    text.replaceAll('sk-secret', '[redacted]'),
  );
}

describe('what an agent remembers', () => {
  it('everything, with prompts joined or spaced differently', () => {
    assert.deepEqual(remember(['one two', 'three'], 'one\n\ntwothree '), undefined);
    assert.deepEqual(remember(['look', 'again'], '<context/>look[Resource: a](file:///a)again'), undefined);
  });

  it('everything but the end', () => {
    assert.deepEqual(remember(['one', 'two', 'three'], 'one'), { code: 'recall_tail_lost', params: { prompts: 2, since: 'two' } });
    assert.deepEqual(remember(['go on', 'go on'], 'go on'), { code: 'recall_tail_lost', params: { prompts: 1, since: 'go on' } });
  });

  it('an interrupted turn at the end is not expected', () => {
    assert.deepEqual(remember(['one', 'two'], 'one', { lastIsCut: true }), undefined);
  });

  it('without its beginning, as after a compaction, only the end', () => {
    assert.deepEqual(remember(['one', 'two', 'three'], 'two three'), undefined);
  });

  it('a prompt that is the beginning of the next one does not match it', () => {
    assert.deepEqual(remember(['start', 'ok', 'ok do it'], 'start ok do it'), undefined);
  });

  it('something else, or nothing', () => {
    assert.deepEqual(remember(['one'], 'what is this'), { code: 'recall_other_conversation', params: {} });
    assert.deepEqual(remember(['one'], '', { silent: true }), { code: 'recall_nothing_told', params: {} });
  });

  it('agents that do not repeat prompts, their own commands, and secrets raise no alarm', () => {
    assert.deepEqual(remember(['one'], ''), undefined);
    assert.deepEqual(remember(['one', '/compact'], 'one<command-name>compact</command-name>'), undefined);
    assert.deepEqual(remember(['key [redacted]'], 'key sk-secret'), undefined);
  });

  it('for any prompts, the check finds what is missing at the end', () => {
    const prompts = fc.uniqueArray(fc.stringMatching(/^[a-z]{6,12}( [a-z]{1,8})?$/), {
      minLength: 2,
      maxLength: 80,
      selector: (words) => words.slice(0, 6),
    });
    fc.assert(
      fc.property(prompts, fc.nat(), (all, cutAt) => {
        const known = 1 + (cutAt % all.length);
        const memory = remember(all, all.slice(0, known).join('\n'));
        assert.deepEqual(
          memory,
          known === all.length ? undefined : { code: 'recall_tail_lost', params: { prompts: all.length - known, since: all[known] } },
        );
      }),
    );
  });
});
