import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ConversationState } from '../../src/core/index.js';
import { requestsOf } from '../../src/extension/chat/pendingPrompts.js';
import { permissionOf } from '../core/request/permissionOf.js';
import { conversation, draw, sessionOf, start, turn } from './drawnChat.js';

describe('a conversation that was taken over while this window was suspended', () => {
  it('it shows who took it over and what became of the turn here', () => {
    const passedOver = { program: 'terminal', wasBusy: true } as const;
    const { banner } = draw({ elsewhere: { program: 'editor', isBusy: false }, passedOver, session: sessionOf() }).view;
    assert.equal(banner?.title, 'This conversation was continued in another window');
    assert.match(banner.text, /did not respond for a while\. What the agent said here after that was not saved\. .* your next message\.$/);
    assert.deepEqual(
      banner.buttons.map(({ label }) => label),
      ['Continue Here'],
    );
    const idle = draw({ passedOver: { program: undefined, wasBusy: false } }).view.banner;
    assert.equal(idle?.title, 'This conversation was continued elsewhere');
    assert.doesNotMatch(idle.text, /not saved/);
    assert.match(
      draw({ elsewhere: { program: 'editor', isBusy: true }, passedOver }).view.banner?.title ?? '',
      /is working in another window$/,
    );
  });
});

describe('a conversation that was deleted in another window', () => {
  it('it shows that, and how to restore it, unless another window works in it', () => {
    const { banner } = draw({ isDeleted: true, session: sessionOf() }).view;
    assert.equal(banner?.title, 'This conversation was deleted in another window');
    assert.match(banner.text, /^Your next message restores it\./);
    assert.deepEqual(
      banner.buttons.map(({ label }) => label),
      ['Continue Here'],
    );
    const elsewhere = { program: 'editor', isBusy: true } as const;
    assert.match(draw({ isDeleted: true, elsewhere }).view.banner?.title ?? '', /is working in another window$/);
  });
});

describe('a request of an agent that works in another window', () => {
  const request = permissionOf({ title: 'make', toolKind: 'execute' }, { options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }] });
  const session = sessionOf(turn, { type: 'request_opened', at: start, request });

  it('it is announced, and can only be answered in that window', () => {
    const asked = (change: Partial<ConversationState>) =>
      requestsOf({
        id: 'one',
        folder: { name: 'project', path: '/home/me/project' },
        conversation: { state: conversation({ session, ...change }) },
      }).length;
    const elsewhere = { program: 'editor', isBusy: true } as const;
    assert.deepEqual([asked({}), asked({ elsewhere, live: false })], [1, 0]);
    const { banner } = draw({ session, elsewhere, live: false }).view;
    assert.equal(banner?.title, 'agentao needs your input in another window');
    assert.deepEqual(
      banner.buttons.map(({ label }) => label),
      ['Continue Here'],
    );
  });
});
