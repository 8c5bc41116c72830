import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StatusBarItem } from 'vscode';
import { type ConversationState, type SessionOption } from '../../src/core/index.js';
import { controlsFor } from '../../src/extension/actions/actions.js';
import { mayPrepare } from '../../src/extension/conversation/openConversations.js';
import { drawStatus, statusOf } from '../../src/extension/status/statusBar.js';
import { conversation, draw, sessionOf, start, turn } from './drawnChat.js';

describe('controls and status', () => {
  const mode: SessionOption = {
    type: 'select',
    id: 'mode',
    name: 'Mode',
    category: 'mode',
    currentValue: 'w',
    choices: [{ value: 'w', name: 'Write', description: 'Files are written without asking.' }],
  };

  it('the actions that the user needs now come first', () => {
    const idle = draw({ status: { state: 'stopped' }, live: false }).view;
    assert.equal(controlsFor(idle, 0)[0]?.action, 'restartAgent');
    const busy = draw({ status: { state: 'busy', since: start }, session: sessionOf(turn) }).view;
    assert.equal(controlsFor(busy, 0)[0]?.action, 'stop');
  });

  it('before a folder is open and trusted, that comes first, and no agent can be started', () => {
    const offered = (closed: 'untrusted' | 'no_folder'): readonly string[] =>
      controlsFor(draw({ status: { state: 'stopped' }, live: false }, { closed }).view, 0).map(({ action }) => action);
    assert.deepEqual([offered('untrusted')[0], offered('no_folder')[0]], ['trustFolder', 'openFolder']);
    assert.deepEqual(
      offered('untrusted').filter((action) => ['restartAgent', 'selectMode', 'selectModel'].includes(action)),
      [],
    );
  });

  it('options that the running agent does not have are left out', () => {
    const offered = (changes: Partial<ConversationState>): readonly string[] =>
      controlsFor(draw({ ...changes }).view, 0)
        .map(({ action }) => action)
        .filter((action) => action === 'selectMode' || action === 'selectModel');
    const withMode = sessionOf({ type: 'options', at: start, options: [mode] });
    assert.deepEqual(offered({ status: { state: 'ready' }, session: withMode }), ['selectMode']);
    assert.deepEqual(offered({ status: { state: 'stopped' }, live: false, session: undefined }), ['selectMode', 'selectModel']);
  });

  it('what the agent calls the value of an option shows no icon', () => {
    const options = [{ ...mode, choices: [{ value: 'w', name: '$(trash) Write' }] }];
    const controls = controlsFor(draw({ session: sessionOf({ type: 'options', at: start, options }) }).view, 0);
    assert.equal(controls.find(({ action }) => action === 'selectMode')?.description, '$ (trash) Write');
  });

  it('options are available before the agent runs, as it last offered them', () => {
    const lastKnown = { options: [mode], commands: [{ name: 'compact', description: 'Shorten' }] };
    const { selectors, commands } = draw({ session: undefined, live: false, status: { state: 'stopped' } }, { lastKnown }).view.composer;
    assert.deepEqual(
      [selectors.map(({ id, disabled }) => [id, disabled]), commands.map(({ name }) => name)],
      [[['mode', false]], ['compact']],
    );
    const own = sessionOf({ type: 'options', at: start, options: [{ ...mode, name: 'Own' }] });
    assert.equal(draw({ session: own }, { lastKnown }).view.composer.selectors[0]?.label, 'Own');
    assert.equal(draw({ session: undefined }, { lastKnown, closed: 'untrusted' }).view.composer.selectors[0]?.disabled, true);
  });

  it('options are available during a turn, and say what waits for its end', () => {
    const two = { ...mode, choices: [...mode.choices, { value: 'p', name: 'Plan' }] };
    const session = sessionOf({ type: 'options', at: start, options: [two] }, turn);
    const change = { optionId: 'mode', value: 'p' } as const;
    const drawn = (optionChanges: ConversationState['optionChanges']) => draw({ session, optionChanges }).view.composer.selectors[0];
    assert.deepEqual([drawn([])?.value, drawn([])?.disabled], ['w', false]);
    assert.deepEqual([drawn([{ ...change, state: 'asked' }])?.value, drawn([{ ...change, state: 'asked' }])?.hint], ['p', undefined]);
    assert.equal(drawn([{ ...change, state: 'deferred' }])?.hint, 'Mode changes to Plan when this turn ends.');
    assert.equal(drawn([{ ...change, state: 'needs_sign_in' }])?.hint, 'Mode changes to Plan after you sign in.');
  });

  it('typing starts an agent that was used before, if there is nothing left to decide', () => {
    const idle = conversation({ status: { state: 'stopped' }, live: false, session: undefined });
    const used = (): boolean => true;
    assert.equal(mayPrepare(idle, used), true);
    assert.equal(
      mayPrepare(idle, () => false),
      false,
    );
    const waits = { id: 'o', content: [], at: start, held: 'engine_ended' } as const;
    const error = { code: 'agent_not_found', params: {} } as const;
    for (const change of [
      { agent: undefined },
      { status: { state: 'ready' } },
      { opening: { since: start } },
      { outbox: [waits] },
      { blocker: { type: 'failed', error } },
    ] as const)
      assert.equal(mayPrepare({ ...idle, ...change }, used), false, JSON.stringify(change));
  });

  it('the mode is shown with its meaning', () => {
    const state = conversation({ session: sessionOf({ type: 'options', at: start, options: [mode] }) });
    const { view } = draw(state);
    assert.equal(view.composer.selectors[0]?.hint, 'Files are written without asking.');
    assert.ok(statusOf(view, state).facts.includes('Mode Write'));
  });

  it('the tooltip says what the agent was given besides its folder, and what not', () => {
    const leftOut = [{ server: 'b\nc', code: 'variable', variable: 'input:key' }] as const;
    const context = { servers: ['a', 'd'], leftOut, folders: ['/library'] };
    const state = conversation({ session: sessionOf({ type: 'context', at: start, context }) });
    const { facts } = statusOf(draw(state).view, state);
    for (const fact of ['MCP servers: a, d', 'Left out: b c. It needs a value for ${input:key}', 'Also works in /library'])
      assert.ok(facts.includes(fact), facts.join('\n'));
  });

  it('the status bar has room for the state beside long names', () => {
    const item = {} as StatusBarItem;
    const [agent, model] = ['An agent with many words in its name', 'provider/a-model-with-many-parts-preview-thinking'];
    drawStatus(item, { agent, model, state: 'ready', stateText: 'ready', neverAsks: false, ended: '', facts: [`Model ${model}`] });
    assert.equal(item.text, '$(comment-discussion) An agent with many words in i… · provider/a-model-with-many-pa… $(check)');
    assert.ok([agent, model].every((name) => item.accessibilityInformation?.label.includes(name)));
    assert.equal(item.tooltip, `${agent}: ready\nModel ${model}`);
  });

  it('the tooltip says where the conversations run', () => {
    const { view } = draw(conversation());
    const factsOf = (pid: number, location: 'process' | 'window'): string | undefined => {
      const engine = { version: '0', pid, since: 0, location, memoryBytes: 0, frontEnds: 1, running: 0, keepAliveMs: 0 };
      return statusOf(view, undefined, { engine }).facts.at(-1);
    };
    assert.equal(factsOf(7, 'process'), 'Conversations run in process 7');
    assert.equal(factsOf(process.pid, 'window'), 'Conversations run in this window');
    assert.equal(factsOf(7, 'window'), 'Conversations run in a window (process 7)');
  });
});
