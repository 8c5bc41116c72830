/** The extension for Pi that asks for permission: when it asks, and what it shows. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import * as z from 'zod/mini';

interface Asked {
  readonly title: string;
  readonly message: string;
}
type Input = Readonly<Record<string, unknown>>;
interface Context {
  readonly hasUI: boolean;
  readonly ui: { confirm(title: string, message: string): Promise<boolean> };
}
type OnCall = (call: { toolName: string; input: Input }, context: Context) => Promise<{ readonly block: true } | undefined>;
type Extension = (pi: { on(event: string, handler: OnCall): void }) => void;

const askFirst = new URL('../../media/pi/askFirst.js', import.meta.url).href;
const extensionSchema = z.object({ default: z.custom<Extension>() });

async function call(toolName: string, input: Input, o: { readonly answer?: boolean; readonly hasUI?: boolean } = {}) {
  const { answer = true, hasUI = true } = o;
  const asked: Asked[] = [];
  let onCall: OnCall | undefined;
  extensionSchema.parse(await import(askFirst)).default({ on: (_, handler) => (onCall = handler) });
  const confirm = (title: string, message: string): Promise<boolean> => (asked.push({ title, message }), Promise.resolve(answer));
  const verdict = await onCall?.({ toolName, input }, { hasUI, ui: { confirm } });
  return { asked, isBlocked: verdict?.block === true };
}

test('commands, new files, changes and tools that are not known as read-only need permission', async () => {
  const edits = [{ oldText: 'a', newText: 'b' }];
  for (const [tool, input, title, message] of [
    ['bash', { command: 'ls' }, 'Run this command?', 'ls'],
    ['write', { path: 'a.txt', content: 'new' }, 'Write a.txt?', 'new'],
    ['edit', { path: 'a.txt', edits }, 'Edit a.txt?', '- a\n+ b'],
    ['edit', { path: 'a.txt', oldText: 'a', newText: 'b' }, 'Edit a.txt?', '- a\n+ b'],
    ['edit', { input: 'PATCH' }, 'Use the tool edit?', '{\n  "input": "PATCH"\n}'],
    ['ssh', { host: 'far' }, 'Use the tool ssh?', '{\n  "host": "far"\n}'],
  ] as const) {
    assert.deepEqual(await call(tool, input), { asked: [{ title, message }], isBlocked: false });
    assert.equal((await call(tool, input, { answer: false })).isBlocked, true);
    assert.deepEqual(await call(tool, input, { hasUI: false }), { asked: [], isBlocked: true });
  }
  assert.deepEqual(await call('read', { path: 'a.txt' }), { asked: [], isBlocked: false });
});

test('every text of the input is shown', async () => {
  const text = fc.string({ minLength: 1, maxLength: 20 }).map((words) => words.replaceAll(/[\n"\\]|\p{C}/gu, 'x'));
  const name = fc.constantFrom('path', 'command', 'content', 'oldText', 'newText', 'input', 'edits', 'all');
  const edit = fc.dictionary(name, text);
  const input = fc.dictionary(name, fc.oneof(text, fc.array(edit, { maxLength: 3 })));
  await fc.assert(
    fc.asyncProperty(fc.constantFrom('bash', 'write', 'edit', 'other'), input, async (tool, given) => {
      const { asked } = await call(tool, given);
      const shown = `${asked[0]?.title}\n${asked[0]?.message}`;
      const texts = Object.values(given).flatMap((value) =>
        typeof value === 'string' ? [value] : value.flatMap((one) => Object.values(one)),
      );
      for (const one of texts) assert.ok(shown.includes(one), `${JSON.stringify(one)} is not in ${shown}`);
    }),
  );
});
