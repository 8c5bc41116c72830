/** The output of a command as a terminal of the editor. The editor is a fake; what is written is what its terminal would get. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Emitter, printedWithStyles, type ToolItem } from '../../src/core/index.js';
import { emptySession, reduceAll } from '../../src/core/session/reducer.js';
import { commandOutput } from '../../src/extension/chat/transcript.js';
import type { CommandOutput } from '../../src/extension/editor/outputTerminals.js';
import { outputPty } from '../../src/extension/editor/outputTerminals.js';

function open(first: CommandOutput | undefined) {
  let output = first;
  let isWatched = false;
  const changes = new Emitter<void>();
  const pty = outputPty({
    id: 'one',
    name: 'npm test',
    read: () => output,
    onChange(listener) {
      isWatched = true;
      const watching = changes.event(listener);
      return {
        dispose() {
          isWatched = false;
          watching.dispose();
        },
      };
    },
  });
  const written: string[] = [];
  pty.onDidWrite((text) => void written.push(text));
  pty.open(undefined);
  return {
    written,
    pty,
    isWatched: () => isWatched,
    become(next: CommandOutput | undefined) {
      output = next;
      changes.fire();
    },
  };
}

/** What a terminal shows that understands what is written. */
const screenOf = (written: readonly string[]): string =>
  (written.join('').split('\x1b[2J\x1b[3J\x1b[H').at(-1) ?? '').replaceAll('\r\n', '\n');

test('it shows the output so far, then what follows, and how the command ended', () => {
  const { written, become } = open({ text: 'one\n' });
  become({ text: 'one\ntwo\n' });
  become({ text: 'one\ntwo\n' });
  become({ text: 'one\ntwo\nthree', end: 'The command has ended: exit code 3' });
  assert.deepEqual(written, ['one\r\n', 'two\r\n', 'three\r\n\x1b[2m[The command has ended: exit code 3]\x1b[0m\r\n']);
});

test('only styles reach the terminal', () => {
  const evil = '\x1b]0;title\x07\x1b[32mgreen\x1b[0m\x1b]52;c;aGk=\x07\x1b[2J\x1b]633;A\x07\n';
  assert.deepEqual(open({ text: evil }).written, ['\x1b[32mgreen\x1b[0m\r\n']);
});

test('closing it stops the reading, and a command that is gone leaves it as it is', () => {
  const { written, become, pty, isWatched } = open({ text: 'one\n' });
  become(undefined);
  assert.deepEqual(written, ['one\r\n']);
  pty.close();
  assert.equal(isWatched(), false);
});

test('whatever the output becomes, the terminal shows it', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r', '\x1b[31m', ' ', 'é') });
  fc.assert(
    fc.property(fc.array(text, { minLength: 1 }), fc.boolean(), (parts, grows) => {
      const { written, become } = open({ text: '' });
      let whole = '';
      for (const part of parts) become({ text: (whole = grows ? whole + part : part) });
      assert.equal(screenOf(written), printedWithStyles(whole));
    }),
  );
});

test('a command has ended when its tool call has, unless it still runs in the host', () => {
  const running = { type: 'terminal', terminalId: 't', output: 'x', runs: true } as const;
  const item = { ...toolItemWith([running]), endedAt: 1 };
  assert.deepEqual(commandOutput(item), { text: 'x' });
  const { runs: _, ...ended } = running;
  assert.deepEqual(commandOutput({ ...item, content: [ended], exit: { code: 3 } }), {
    text: 'x',
    end: 'The command has ended: exit code 3',
  });
});

function toolItemWith(content: ToolItem['content']): ToolItem {
  const event = { type: 'tool', at: 0, id: 'i', toolCallId: 'c', patch: { content } } as const;
  const [item] = reduceAll(emptySession('s', '/', 0), [event]).items;
  assert.ok(item?.kind === 'tool');
  return item;
}
