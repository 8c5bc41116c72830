/** A prompt in the forms that the agent accepts: nothing is left out silently. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { agentaoQuirks } from '../../../src/core/agents/agentao/agentaoQuirks.js';
import { standardQuirks } from '../../../src/core/agents/standardQuirks.js';
import { toPromptBlocks } from '../../../src/core/backends/acp/map.js';
import type { AgentInfo } from '../../../src/core/backends/agentBackend.js';
import type { ContentBlock } from '../../../src/core/session/model.js';
import { HostError } from '../../../src/core/base/errors.js';

const all = ['image', 'audio', 'resource'] as const;
const send = (block: ContentBlock, accepted: AgentInfo['promptContent'] = []): readonly unknown[] =>
  toPromptBlocks([block], accepted, standardQuirks);

const image: ContentBlock = { type: 'image', data: 'AA==', mimeType: 'image/png' };
const audio: ContentBlock = { type: 'audio', data: 'AA==', mimeType: 'audio/wav' };
const file: ContentBlock = { type: 'resource', resource: { uri: 'file:///dir/a.md', text: 'one ``` two', mimeType: 'text/markdown' } };

test('an agent that supports all content gets it unchanged', () => {
  for (const block of [image, audio, file]) assert.deepEqual(send(block, all), [block]);
});

test('every agent gets text and links', () => {
  for (const block of [
    { type: 'text', text: 'x' },
    { type: 'resource_link', uri: 'file:///a', name: 'a' },
  ] satisfies ContentBlock[])
    assert.deepEqual(send(block), [block]);
});

describe('without embedded context', () => {
  test('a text is sent as text in a fence longer than any fence in it', () => {
    assert.deepEqual(send(file), [{ type: 'text', text: 'file:///dir/a.md\n````\none ``` two\n````' }]);
  });

  test('binary content is sent as a link', () => {
    const blob: ContentBlock = {
      type: 'resource',
      resource: { uri: 'file:///dir/a.bin', blob: 'AA==', mimeType: 'application/octet-stream' },
    };
    assert.deepEqual(send(blob), [
      { type: 'resource_link', uri: 'file:///dir/a.bin', name: 'a.bin', mimeType: 'application/octet-stream' },
    ]);
  });
});

test('an image for an agent without images is sent as its link, or refused if it has none', () => {
  assert.deepEqual(send({ ...image, uri: 'file:///dir/a.png' }), [
    { type: 'resource_link', uri: 'file:///dir/a.png', name: 'a.png', mimeType: 'image/png' },
  ]);
  for (const block of [image, audio])
    assert.throws(
      () => send(block),
      (error) => error instanceof HostError && error.code === 'unsupported',
    );
});

test('agentao gets no image member that it does not know, because it refuses those', () => {
  assert.deepEqual(toPromptBlocks([{ ...image, uri: 'file:///a.png' }], all, agentaoQuirks('0.5.17')), [image]);
});
