/** The hover of a line says which conversation wrote it, and costs nothing elsewhere. The editor and the engine are fakes. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import type { ConversationListEntry, EngineClient, LineOrigin } from '../../src/core/index.js';
import { editor, TextDocument } from '../fakes/vscodeFake.js';
import { createLineHovers } from '../../src/extension/review/editorReview.js';

interface Lab {
  readonly isConnected?: boolean;
  readonly title?: string;
  readonly isChanged?: boolean;
}

/** Line 2 of the file was written by a turn. @returns what a hover says, and what the engine was asked */
function hovering(t: TestContext, { isConnected = true, title = 'Fix [it](now)', isChanged = true }: Lab = {}) {
  const asked: string[] = [];
  const entry = { id: 'one', title } as ConversationListEntry;
  const origin: LineOrigin = { conversationId: 'one', turnId: 't1', at: 1 };
  const call = (method: string, { line }: { readonly line: number }): Promise<unknown> => {
    asked.push(method);
    return Promise.resolve(method === 'is_changed' ? isChanged : line === 2 ? origin : undefined);
  };
  const hovers = createLineHovers({
    engine: {
      call: call as EngineClient['call'],
      connection: (isConnected ? { state: 'connected' } : { state: 'connecting' }) as EngineClient['connection'],
      list: { state: { revision: 0, conversations: [entry] } },
    },
  });
  t.after(() => hovers.dispose());
  editor.folders = ['/project'];
  const hover = async (line: number, file = '/project/a.ts') =>
    (await editor.hover?.(new TextDocument(file, 'one\ntwo\n'), line - 1))?.contents;
  return { asked, hover };
}

it('the hover of a line that a turn wrote leads to the turn', async (t) => {
  const { hover } = hovering(t);
  const said = await hover(2);
  const where = encodeURIComponent(JSON.stringify(['file:///project/a.ts', '2']));
  const link = `command:acpHost.showTurnOfLine?${where} "Show Turn That Wrote This Line"`;
  assert.equal(said?.value, `Written in [Fix \\[it\\]\\(now\\)](${link})`);
  assert.deepEqual(said?.isTrusted, { enabledCommands: ['acpHost.showTurnOfLine'] });
  assert.equal(await hover(1), undefined);
});

it('a file that no turn changed is asked about once, without its text', async (t) => {
  const { hover, asked } = hovering(t, { isChanged: false });
  for (const line of [1, 2, 2]) assert.equal(await hover(line), undefined);
  assert.deepEqual(asked, ['is_changed']);
});

it('without an engine, and for a file of no folder, nothing is asked', async (t) => {
  const away = hovering(t, { isConnected: false });
  assert.equal(await away.hover(2), undefined);
  const elsewhere = hovering(t);
  assert.equal(await elsewhere.hover(2, '/other/a.ts'), undefined);
  assert.deepEqual([away.asked, elsewhere.asked], [[], []]);
});
