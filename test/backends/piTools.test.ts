/** Tool calls of Pi as cards. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PiTools, type ToolEvent } from '../../src/core/backends/pi/piTools.js';

const edited = (details: unknown): unknown => {
  const tools = new PiTools('/cwd', 'p');
  tools.call('m.0', { type: 'toolCall', id: 'c1', name: 'edit', arguments: { path: 'a.txt', oldText: 'a', newText: 'b' } }, 1);
  return tools.end('c1', 'edit', { content: [], details, isError: false }, 2)[0]?.patch.locations;
};

test('an edit is located at its first changed line, once Pi has reported it', () => {
  assert.deepEqual(edited({ diff: '-7 a\n+7 b', firstChangedLine: 7 }), [{ path: '/cwd/a.txt', line: 7 }]);
  for (const details of [undefined, null, {}, { firstChangedLine: 0 }, { firstChangedLine: '7' }]) assert.equal(edited(details), undefined);
});

describe('a file that is overwritten', () => {
  const write = { type: 'toolCall', id: 'c1', name: 'write', arguments: { path: 'a.txt', content: 'new' } } as const;
  const diffs = (events: ReturnType<PiTools['call']>) =>
    events.flatMap(({ patch }) => patch.content ?? []).map((part) => part.type === 'diff' && [part.path, part.oldText, part.newText]);
  /** @param texts the content of the file at each read */
  const started = (...texts: readonly (string | null | undefined)[]) => {
    let looks = 0;
    const tools = new PiTools('/cwd', 'p', { peekNow: (path) => (path === '/cwd/a.txt' ? texts[looks++] : assert.fail(path)) });
    const called = tools.call('m.0', write, 1);
    const begun = tools.start({ toolCallId: 'c1', toolName: 'write', args: write.arguments }, 2);
    return [...diffs(called), ...diffs(begun), ...diffs(tools.end('c1', 'write', { content: [], isError: false }, 3))];
  };
  const diff = (oldText: string | null | undefined) => ['/cwd/a.txt', oldText, 'new'];

  test('it is shown with its old text at the beginning of the call', () => {
    assert.deepEqual(started('old', 'old'), [diff('old'), diff('old')]);
    assert.deepEqual(started('old', 'older'), [diff('old'), diff('older'), diff('older')]);
    assert.deepEqual(started(null, null), [diff(null), diff(null)]);
  });

  test('text that the call itself has written, or that cannot be read, is not shown as the old text', () => {
    assert.deepEqual(started('old', 'new'), [diff('old'), diff('old')]);
    assert.deepEqual(started('old', ''), [diff('old'), diff('old')]);
    for (const text of ['new', '', undefined]) assert.deepEqual(started(text, text), [diff(undefined), diff(undefined)]);
  });

  test('it is not read when a session is loaded', () => {
    const tools = new PiTools('/cwd', 'p', { peekNow: () => assert.fail() });
    assert.deepEqual(diffs(tools.call('m.0', write, 1, true)), [diff(undefined)]);
  });
});

/** Returns the cards as they are at the end. */
function cardsOf(events: readonly ToolEvent[]) {
  const cards = new Map<string, { title: unknown; status: unknown; output: string; id: string }>();
  for (const { id, toolCallId, patch } of events) {
    const before = cards.get(id) ?? { title: undefined, status: undefined, output: '', id: toolCallId };
    const [part] = patch.content ?? [];
    const output = part?.type === 'content' && part.content.type === 'text' ? part.content.text : before.output;
    cards.set(id, { ...before, title: patch.title ?? before.title, status: patch.status ?? before.status, output });
  }
  return [...cards.values()];
}

describe('calls with the same id', () => {
  const commands = ['one', 'two', 'three'];
  const result = (said: string) => ({ content: [{ type: 'text' as const, text: said }], isError: false });
  const call = (command: string) => ({ toolCallId: 'same', toolName: 'bash', args: { command } });
  const written = (tools: PiTools) =>
    commands.flatMap((command, index) => [
      ...tools.announce(`m.${index}`, 'same', 'bash', 1),
      ...tools.call(`m.${index}`, { type: 'toolCall', id: 'same', name: 'bash', arguments: { command } }, 1),
    ]);
  const ends = (tools: PiTools, command: string) => tools.end('same', 'bash', result(`of ${command}`), 3);
  const expected = commands.map((command) => ({ title: command, status: 'completed', output: `of ${command}` }));

  for (const [how, run] of Object.entries<(tools: PiTools) => readonly ToolEvent[]>({
    'in one message, one after another': (tools) => [
      ...written(tools),
      ...commands.flatMap((command) => [...tools.start(call(command), 2), ...ends(tools, command)]),
    ],
    'in one message, all at once': (tools) => [
      ...written(tools),
      ...commands.flatMap((command) => tools.start(call(command), 2)),
      ...commands.flatMap((command) => tools.progress(call(command), result(`in ${command}`).content, 2)),
      ...commands.flatMap((command) => ends(tools, command)),
    ],
    'started in another order': (tools) => [
      ...written(tools),
      ...[2, 0, 1].flatMap((index) => tools.start(call(commands[index] ?? ''), 2)),
      ...commands.flatMap((command) => ends(tools, command)),
    ],
    'in several messages': (tools) =>
      commands.flatMap((command, index) => [
        ...tools.announce(`m${index}.0`, 'same', 'bash', 1),
        ...tools.call(`m${index}.0`, { type: 'toolCall', id: 'same', name: 'bash', arguments: { command } }, 1),
        ...tools.start(call(command), 2),
        ...ends(tools, command),
      ]),
    'not announced': (tools) => commands.flatMap((command) => [...tools.start(call(command), 2), ...ends(tools, command)]),
    'in a loaded session': (tools) => [...written(tools), ...commands.flatMap((command) => ends(tools, command))],
  }))
    test(`${how}: each has a card of its own`, () => {
      const cards = cardsOf(run(new PiTools('/cwd', 'p')));
      assert.deepEqual(
        cards.map(({ title, status, output }) => ({ title, status, output })),
        expected,
      );
      assert.equal(new Set(cards.map(({ id }) => id)).size, commands.length);
    });

  test('those that are open at the end of the turn are all closed', () => {
    const tools = new PiTools('/cwd', 'p');
    assert.equal([...written(tools), ...ends(tools, 'one')].length, 7);
    assert.equal(tools.closeOpen(4, true).length, 2);
  });
});

describe('a call that nobody announced', () => {
  const call = { toolCallId: 'c1', toolName: 'bash', args: { command: 'make' } };
  const content = [{ type: 'text' as const, text: 'out' }];

  test('its progress begins a card with a title, a kind and the input', () => {
    const events = new PiTools('/cwd', 'p').progress(call, content, 1);
    assert.deepEqual(
      [events[0]?.patch.title, events[0]?.patch.toolKind, events[0]?.patch.rawInput, events[0]?.patch.status],
      ['make', 'execute', { command: 'make' }, 'in_progress'],
    );
    assert.deepEqual(events.at(-1)?.patch.content, [{ type: 'content', content: content[0] }]);
  });

  test('progress after the end of a call is left out', () => {
    const tools = new PiTools('/cwd', 'p');
    tools.start(call, 1);
    tools.end('c1', 'bash', { content, isError: false }, 2);
    assert.deepEqual(tools.progress(call, content, 3), []);
  });
});
