import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { checkPrompt, type ContentBlock } from '../../../src/core/index.js';
import { textOf } from '../../model/chatRequest.js';
import { type Agentao, launchAgentao, missing } from '../launch.js';
import { tools } from '../reading.js';

const said = (text: string): readonly ContentBlock[] => [{ type: 'text', text }];

describe('agentao 0.5.17: text that would freeze it', { skip: missing('0.5.17') }, () => {
  let agentao: Agentao;
  before(async () => {
    agentao = await launchAgentao();
  });
  after(() => agentao.stop());

  test('agentao can read the text from a file, and no message has a run that would freeze it', async () => {
    const info = await agentao.host.start();
    const isLong = (text: string): boolean => checkPrompt(info, said(text)) !== undefined;
    const text = 'QUJD'.repeat(16_000);
    assert.ok(isLong(text));
    const file = path.join(agentao.rooms.home, 'long.txt');
    await writeFile(file, text);
    const session = await agentao.newSession();
    const link: ContentBlock = { type: 'resource_link', uri: pathToFileURL(file).href, name: 'long.txt' };
    const outcome = await session.prompt([...said('SC:read-linked what is this?'), link]);
    assert.deepEqual(outcome, { type: 'ended', stopReason: 'end_turn', silent: false });
    assert.deepEqual(
      tools(session.state).map(({ status }) => status),
      ['completed'],
    );
    const told = agentao.model.requests.flatMap(({ request }) => request.messages.map(textOf));
    assert.ok(
      told.some((one) => one.includes('QUJDQUJD') && one.includes('truncated')),
      'the agent read the file, truncated',
    );
    assert.deepEqual(told.filter(isLong), []);
  });
});
