/** The demo agent does what it reports, and changes nothing without permission. */
import assert from 'node:assert/strict';
import { access, appendFile, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { DemoClient, type DemoPlace, makeDemoPlace, textOf } from './demoClient.js';

let place: DemoPlace;
let demo: DemoClient;
let id: string;
before(async () => {
  place = await makeDemoPlace();
  demo = await DemoClient.start(place.state);
});
after(async () => {
  assert.equal(await demo.end(), 0);
  await place.remove();
});
beforeEach(async () => {
  demo.permit = () => 'cancelled';
  demo.permissions.length = 0;
  await writeFile(path.join(place.workspace, 'a.txt'), 'one\ntwo\nthree\n');
  id = (await demo.newSession(place.workspace)).sessionId;
});

const read = (name: string): Promise<string> => readFile(path.join(place.workspace, name), 'utf8');
const isMissing = (name: string): Promise<void> => assert.rejects(access(path.join(place.workspace, name)));

describe('the first answer', () => {
  test('introduces the demo agent once, and says that there is no model', async () => {
    const first = await demo.turn(id, 'please write a compiler');
    assert.match(first.said, /^I am the demo agent of ACP Host[\s\S]*without a model/);
    assert.match(first.said, /cannot answer that[\s\S]*`list \[DIR\]`/);
    assert.doesNotMatch((await demo.turn(id, 'help')).said, /I am the demo agent/);
  });

  test('sets the title of the session, whose commands were announced before', async () => {
    await demo.update(({ sessionUpdate }) => sessionUpdate === 'available_commands_update');
    const { updates } = await demo.turn(id, 'list');
    assert.ok(updates.some((update) => update.sessionUpdate === 'session_info_update' && update.title === 'list'));
  });
});

describe('reading', () => {
  test('lists, reads and searches files', async () => {
    assert.match((await demo.turn(id, 'list')).said, /- `a\.txt`/);
    assert.match((await demo.turn(id, '/read a.txt')).said, /3 lines[\s\S]*one\ntwo\nthree/);
    const { said, updates } = await demo.turn(id, 'search two');
    assert.match(said, /`a\.txt:2` `two`/);
    const end = updates.find((update) => update.sessionUpdate === 'tool_call_update' && update.status === 'completed');
    assert.deepEqual(end?.sessionUpdate === 'tool_call_update' && end.locations, [{ path: path.join(place.workspace, 'a.txt'), line: 2 }]);
  });

  test('stays in the workspace, even through symbolic links', async () => {
    await symlink(place.outside, path.join(place.workspace, 'link.txt'));
    await symlink(path.join(place.workspace, 'gone'), path.join(place.workspace, 'dangling.txt'));
    for (const name of ['../outside.txt', place.outside, 'link.txt']) {
      const { said } = await demo.turn(id, `read ${name}`);
      assert.match(said, /outside the workspace/);
      assert.doesNotMatch(said, /secret/);
    }
    assert.match((await demo.turn(id, 'write dangling.txt x')).said, /leads nowhere/);
  });

  test('says why it cannot read a file', async () => {
    await writeFile(path.join(place.workspace, 'binary'), Buffer.from([0, 1, 2]));
    assert.match((await demo.turn(id, 'read nothing.txt')).said, /no file `nothing\.txt`/);
    assert.match((await demo.turn(id, 'read binary')).said, /not a text file/);
    assert.match((await demo.turn(id, 'read')).said, /`read FILE`/);
  });
});

describe('changing files', () => {
  test('writes only after permission, and shows the diff in the request', async () => {
    demo.permit = async (request) => {
      assert.equal(await read('a.txt'), 'one\ntwo\nthree\n', 'nothing is written before the answer');
      assert.deepEqual(request.toolCall.content, [
        { type: 'diff', path: path.join(place.workspace, 'a.txt'), oldText: 'one\ntwo\nthree\n', newText: 'one\n2\nthree\n' },
      ]);
      assert.deepEqual(request.toolCall.locations, [{ path: path.join(place.workspace, 'a.txt'), line: 2 }]);
      return 'allow_once';
    };
    assert.match((await demo.turn(id, 'edit a.txt two => 2')).said, /Done/);
    assert.equal(await read('a.txt'), 'one\n2\nthree\n');
  });

  for (const answer of ['reject_once', 'cancelled', 'an option that was never offered']) {
    test(`writes nothing after ${answer}`, async () => {
      demo.permit = () => answer;
      const { said, updates, stopReason } = await demo.turn(id, 'edit a.txt two => 2');
      assert.match(said, /Not done/);
      assert.equal(stopReason, 'end_turn');
      assert.equal(await read('a.txt'), 'one\ntwo\nthree\n');
      assert.ok(updates.some((update) => update.sessionUpdate === 'tool_call_update' && update.status === 'failed'));
    });
  }

  test('remembers "always" for the session only', async () => {
    demo.permit = () => 'allow_always';
    await demo.turn(id, 'edit a.txt two => 2');
    await demo.turn(id, 'edit a.txt += four');
    assert.equal(demo.permissions.length, 1);
    assert.equal(await read('a.txt'), 'one\n2\nthree\nfour\n');
    demo.permit = () => 'reject_always';
    const { sessionId } = await demo.newSession(place.workspace);
    await demo.turn(sessionId, 'edit a.txt');
    assert.match((await demo.turn(sessionId, 'edit a.txt')).said, /you rejected all edits/);
    assert.equal(demo.permissions.length, 2);
  });

  test('does not overwrite a file that changed while the request was open', async () => {
    demo.permit = async () => {
      await appendFile(path.join(place.workspace, 'a.txt'), 'from somebody else\n');
      return 'allow_once';
    };
    assert.match((await demo.turn(id, 'edit a.txt two => 2')).said, /has changed in the meantime/);
    assert.equal(await read('a.txt'), 'one\ntwo\nthree\nfrom somebody else\n');
  });

  test('creates files and their folders', async () => {
    demo.permit = () => 'allow_once';
    await demo.turn(id, 'write new/b.txt first\\nsecond');
    assert.equal(await read('new/b.txt'), 'first\nsecond\n');
  });

  test('asks for no permission in auto mode, and changes nothing in read-only mode', async () => {
    await demo.setMode(id, 'auto');
    await demo.turn(id, 'edit a.txt two => 2');
    assert.equal(await read('a.txt'), 'one\n2\nthree\n');
    await demo.setOption(id, 'mode', 'read-only');
    assert.match((await demo.turn(id, 'edit a.txt one => 1')).said, /read-only/);
    assert.match((await demo.turn(id, 'run touch never')).said, /read-only/);
    await isMissing('never');
    assert.equal(demo.permissions.length, 0);
    assert.equal(await read('a.txt'), 'one\n2\nthree\n');
  });

  test('refuses an ambiguous or malformed edit', async () => {
    assert.match((await demo.turn(id, 'edit a.txt missing => x')).said, /does not contain/);
    assert.match((await demo.turn(id, 'edit a.txt t => x')).said, /more than once/);
    assert.match((await demo.turn(id, 'edit a.txt whatever')).said, /OLD => NEW/);
  });
});

describe('running commands', () => {
  test('runs a command after permission, and reports its output and exit code', async () => {
    demo.permit = () => 'allow_once';
    const { said, updates } = await demo.turn(id, 'run cat a.txt; exit 3');
    assert.match(said, /exit code 3/);
    const end = updates.findLast((update) => update.sessionUpdate === 'tool_call_update');
    assert.deepEqual(end?.sessionUpdate === 'tool_call_update' && [end.status, end.rawOutput], [
      'failed',
      { exitCode: 3, signal: null, output: 'one\ntwo\nthree\n' },
    ]);
  });

  test('"always" applies to the same command only', async () => {
    demo.permit = () => 'allow_always';
    await demo.turn(id, 'run true');
    await demo.turn(id, 'run true');
    await demo.turn(id, 'run false');
    assert.equal(demo.permissions.length, 2);
  });

  test('keeps the end of long output', async () => {
    demo.permit = () => 'allow_once';
    const { updates } = await demo.turn(id, 'run seq 20000');
    const end = updates.findLast((update) => update.sessionUpdate === 'tool_call_update');
    const output = JSON.stringify(end);
    assert.match(output, /characters before this/);
    assert.match(output, /\\n20000\\n/);
    assert.ok(output.length < 50_000);
  });
});

describe('questions', () => {
  test('asks for text, for one option and for several', async () => {
    demo.answer = () => ({ outcome: 'answered', text: 'Tea' });
    demo.questions.length = 0;
    for (const prompt of ['ask', 'ask one', 'ask many']) assert.match((await demo.turn(id, prompt)).said, /\*\*Tea\*\*/);
    assert.deepEqual(demo.questions, [
      { sessionId: id, header: 'Your words', question: 'What should I repeat?' },
      {
        sessionId: id,
        header: 'One of four',
        question: 'Which season do you like best?',
        options: ['Spring', 'Summer', 'Autumn', 'Winter'],
      },
      {
        sessionId: id,
        header: 'Any of these',
        question: 'Which of these do you drink?',
        options: ['Water', 'Tea', 'Coffee'],
        multiple: true,
        allowCustom: false,
      },
    ]);
  });

  test('handles a cancelled question and an invalid answer', async () => {
    demo.answer = () => ({ outcome: 'cancelled' });
    assert.match((await demo.turn(id, 'ask')).said, /without an answer/);
    demo.answer = () => ({ text: 5 });
    assert.match((await demo.turn(id, 'ask')).said, /do not understand/);
  });
});

describe('settings', () => {
  test('verbosity and timestamps change the answers', async () => {
    await demo.turn(id, 'help');
    await demo.setOption(id, 'verbosity', 'detailed');
    await demo.setOption(id, 'timestamps', true);
    const { said, updates } = await demo.turn(id, 'usage');
    assert.match(said, /^\*\d{4}-\d\d-\d\dT/);
    assert.match(said, /That took \d+ ms/);
    assert.match(textOf(updates, 'agent_thought_chunk'), /`usage`/);
  });

  test('refuses unknown modes, values and sessions, and a relative folder', async () => {
    await assert.rejects(demo.setMode(id, 'wild'), { code: -32602 });
    await assert.rejects(demo.setOption(id, 'verbosity', 'loud'), { code: -32602 });
    await assert.rejects(demo.newSession('relative'), { code: -32602 });
    await assert.rejects(demo.prompt('unknown', 'hi'), { code: -32002 });
  });
});

test('the commands together produce every kind of update', async () => {
  demo.updates.length = 0;
  demo.permit = () => 'allow_once';
  for (const prompt of [
    'plan',
    'think a little',
    'mode auto',
    'mode ask',
    'title Everything',
    'notice warning careful',
    'compact',
    'long 2',
    'usage',
  ])
    await demo.turn(id, prompt);
  const { sessionId } = await demo.newSession(place.workspace);
  await demo.update(({ sessionUpdate }) => sessionUpdate === 'available_commands_update');
  await demo.loadSession(id, place.workspace);
  assert.notEqual(sessionId, id);
  assert.deepEqual([...new Set(demo.updates.map(({ sessionUpdate }) => sessionUpdate))].sort(), [
    'agent_message_chunk',
    'agent_thought_chunk',
    'available_commands_update',
    'compaction_summary_chunk',
    'compaction_update',
    'config_option_update',
    'current_mode_update',
    'notice',
    'plan',
    'session_info_update',
    'tool_call',
    'tool_call_update',
    'usage_update',
    'user_message_chunk',
  ]);
});
