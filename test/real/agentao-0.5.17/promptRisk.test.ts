import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { checkPrompt } from '../../../src/core/index.js';
import { withLongTextFiles } from '../../../src/core/conversation/longText.js';
import { messageFilesIn } from '../../../src/extension/conversation/messageFiles.js';
import { textOf } from '../../model/chatRequest.js';
import { type Agentao, launchAgentao, missing } from '../launch.js';
import { tools } from '../reading.js';

const isLong = (text: string): boolean => checkPrompt({ name: 'agentao' }, [{ type: 'text', text }]) !== undefined;

describe('agentao 0.5.17: text that would freeze it', { skip: missing('0.5.17') }, () => {
  let agentao: Agentao;
  before(async () => {
    agentao = await launchAgentao();
  });
  after(() => agentao.stop());

  test('the text is sent as a file that the agent can read, and no message has a run that would freeze it', async () => {
    const session = await agentao.newSession();
    const content = [{ type: 'text' as const, text: `SC:read-linked what is ${'QUJD'.repeat(16_000)}` }];
    assert.ok(checkPrompt(await agentao.host.start(), content) !== undefined);
    const write = messageFilesIn(path.join(agentao.rooms.home, 'messages'));
    const outcome = await session.prompt(await withLongTextFiles(content, isLong, (text) => write(text, 'txt')));
    assert.deepEqual(outcome, { type: 'ended', stopReason: 'end_turn', silent: false });
    assert.deepEqual(
      tools(session.state).map(({ status }) => status),
      ['completed'],
    );
    const told = agentao.model.requests.flatMap(({ request }) => request.messages.map(textOf));
    assert.ok(
      told.some((text) => text.includes('QUJDQUJD') && text.includes('truncated')),
      'the agent read the file, truncated',
    );
    assert.deepEqual(told.filter(isLong), []);
  });
});
