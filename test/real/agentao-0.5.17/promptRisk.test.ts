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

describe('agentao 0.5.17: what would freeze it, as a file', { skip: missing('0.5.17') }, () => {
  let agentao: Agentao;
  before(async () => {
    agentao = await launchAgentao();
  });
  after(() => agentao.stop());

  test('it is told where the text lies, may read it from there, and never gets a run that freezes it', async () => {
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
      'it read the file, cut',
    );
    assert.deepEqual(told.filter(isLong), []);
  });
});
