/** Messages that a tool call, a picture or something else interrupts, from the events to the page. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import type { ContentBlock, SessionEvent } from '../../src/core/index.js';
import { chatDrawer } from '../../src/extension/chat/viewModel.js';
import { diffViews } from '../../src/extension/pages/pageLink.js';
import { conversation, sessionOf, start, turn } from '../extension/drawnChat.js';
import { screenshotFolder } from './harness.js';
import { hostForTests } from './pageTests.js';

const host = hostForTests();

const chunk = (content: ContentBlock, messageId?: string): SessionEvent => ({
  type: 'message',
  at: start,
  role: 'agent',
  content,
  ...(messageId === undefined ? {} : { messageId }),
});
const say = (text: string, messageId?: string): SessionEvent => chunk({ type: 'text', text }, messageId);
const tool: SessionEvent = { type: 'tool', at: start, id: 'x', toolCallId: 'x', patch: { title: 'Look around', status: 'completed' } };

/** Draws the conversation after each event, as for an agent that is slow. */
async function openAfter(events: readonly SessionEvent[]) {
  const draw = chatDrawer();
  const viewAfter = (count: number) =>
    draw({
      conversation: conversation({ session: sessionOf(turn, ...events.slice(0, count)) }),
      prompts: [],
      closed: undefined,
      chips: [],
      quietAfterMs: 60_000,
      now: start,
    }).view;
  let view = viewAfter(0);
  const opened = await host.open({ view });
  for (let count = 1; count <= events.length; count++) {
    const next = viewAfter(count);
    await opened.patch(...diffViews(view, next));
    view = next;
  }
  return opened;
}

test('code goes on as code below a tool call inside of its fence, and the text after it as text', async () => {
  const opened = await openAfter([
    say('Here is the script:\n\n```sh\n# build\nmake all\n', 'm'),
    tool,
    say('# test\n', 'm'),
    say('make test\n```\n\nThen **commit** it.', 'm'),
  ]);
  const agent = opened.page.locator('.item.agent');
  await agent.nth(1).locator('strong').waitFor();
  assert.deepEqual(await agent.locator('pre').allTextContents(), ['# build\nmake all', '# test\nmake test']);
  assert.equal(await agent.locator('h1').count(), 0);
  await opened.page.screenshot({ path: path.join(screenshotFolder, 'message-around-tool.png') });
  await opened.close();
});

test('rows go on in their table, and nested items in their list', async () => {
  const opened = await openAfter([
    say('| a | b |\n|---|---|\n| 1 | 2 |\n', 'm'),
    tool,
    say('| 3 | 4 |\n\n- one\n  - two\n', 'm'),
    { ...tool, id: 'y', toolCallId: 'y' },
    say('    - three\n\nEnd.', 'm'),
  ]);
  const agent = opened.page.locator('.item.agent');
  await agent.nth(2).getByText('End.').waitFor();
  assert.deepEqual(await agent.nth(1).locator('td').allTextContents(), ['3', '4']);
  assert.deepEqual([await agent.nth(2).locator('pre').count(), await agent.nth(2).locator('li li li').textContent()], [0, 'three']);
  await opened.page.screenshot({ path: path.join(screenshotFolder, 'table-and-list-around-tool.png') });
  await opened.close();
});

test('a thought, a note and a second message cut no word, and pieces with annotations are one paragraph', async () => {
  const annotated = (text: string): SessionEvent => chunk({ type: 'text', text, annotations: { audience: ['user'] } });
  const opened = await openAfter([
    annotated('The an'),
    { type: 'message', at: start, role: 'thought', content: { type: 'text', text: 'hm' } },
    annotated('swer is **for'),
    { type: 'notice', at: start, severity: 'info', title: 'Note' },
    say('ty-'),
    say('Second mes', 'second'),
    say('two**.'),
    say('sage.', 'second'),
  ]);
  await opened.page.getByText('Second message.').waitFor();
  assert.deepEqual(await opened.page.locator('.item.agent p').allTextContents(), ['The answer is forty-two.', 'Second message.']);
  await opened.close();
});

test('pictures and links stay in their place in the text', async () => {
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAIAAAACUFjqAAAAEUlEQVR4nGP4z8CAB+GTG8HSALfKY52fTcuYAAAAAElFTkSuQmCC';
  const opened = await openAfter([
    say('First the picture:'),
    chunk({ type: 'image', data: png, mimeType: 'image/png' }),
    chunk({ type: 'image', data: '', mimeType: '', uri: 'https://example.org/a.png' }),
    chunk({ type: 'image', data: 'PHN2Zz4=', mimeType: 'image/svg+xml' }),
    say('then '),
    say('the link:'),
    chunk({ type: 'resource_link', uri: 'file:///project/notes.md', name: '' }),
    say('and the end.'),
  ]);
  const agent = opened.page.locator('.item.agent');
  await agent.getByText('and the end.').waitFor();
  const order = await agent.evaluate((element) =>
    [...element.querySelectorAll('p, img, .attachments > :not(img)')].map((node) =>
      node instanceof HTMLImageElement ? 'IMG' : node.textContent.trim(),
    ),
  );
  assert.deepEqual(order, [
    'First the picture:',
    'IMG',
    'https://example.org/a.png',
    "Image that can't be shown (image/svg+xml)",
    'then the link:',
    'file:///project/notes.md',
    'and the end.',
  ]);
  assert.equal(await agent.getByRole('link', { name: 'https://example.org/a.png' }).count(), 1);
  await opened.page.screenshot({ path: path.join(screenshotFolder, 'message-with-picture.png') });
  await opened.assertClean();
  await opened.close();
});
