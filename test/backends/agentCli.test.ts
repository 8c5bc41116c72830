/** The peculiarities of Agent-CLI's protocol, with stand-ins for its document and for its program. */
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { ConnectAgent, ServerConnectOptions } from '../../src/core/backends/agentBackend.js';
import { connectAgentCli } from '../../src/core/backends/agentCli/agentCliBackend.js';
import { connectAgentService } from '../../src/core/backends/agentService/agentServiceBackend.js';
import type { ContentBlock, ToolStatus } from '../../src/core/session/model.js';
import { selectOption } from '../../src/core/session/userRequest.js';
import { within } from '../real/deadline.js';
import { serverAt, type StandIn, startStandIn } from '../standIns/startStandIn.js';
import { connectSeam, eventsIn, type OpenSession, rejects, type Seam, type Told } from './seam.js';

interface Connected extends Seam, OpenSession {
  readonly standIn: StandIn;
  /** Resolves with the names of that many first inputs after the connection, and whether there are more. */
  inputs(count: number): Promise<readonly string[]>;
}

async function connect(t: TestContext, personality: string, o: Partial<ServerConnectOptions> = {}): Promise<Connected> {
  const standIn = await startStandIn(t, 'agentCli', [`--${personality}`]);
  const dial: ConnectAgent = (options) => connectAgentCli({ ...options, ...serverAt(standIn.url), ...o });
  const seam = await connectSeam(t, dial, { agent: { label: 'Stand-in', command: '', args: [], env: {} } });
  const inputs = async (count: number): Promise<readonly string[]> => {
    await standIn.notes.until(`${count} inputs`, () => standIn.frames().length > count);
    return standIn
      .frames()
      .map(({ input }) => inputName(input))
      .slice(1);
  };
  return { ...seam, ...(await seam.open()), standIn, inputs };
}

function inputName(input: unknown): string {
  return typeof input === 'string' ? input : (Object.keys(Object(input))[0] ?? '');
}

const frameOf = async ({ standIn }: Connected, name: string): Promise<Readonly<Record<string, unknown>>> => {
  const { frame } = await standIn.notes.until(name, (note) => inputName(note.frame?.['input']) === name);
  return frame ?? assert.fail();
};

/** Returns the last status of each tool call by its id. */
function tools(told: readonly Told[]): readonly (readonly [title: string, status: ToolStatus | undefined])[] {
  const cards = new Map<string, readonly [string, ToolStatus | undefined]>();
  for (const event of eventsIn(told)) {
    if (event.type !== 'tool') continue;
    const [title, status] = cards.get(event.id) ?? ['', undefined];
    cards.set(event.id, [event.patch.title ?? title, event.patch.status ?? status]);
  }
  return [...cards.values()];
}

for (const personality of ['documented', 'real']) {
  describe(personality, () => {
    test('both StreamComplete and Complete end the turn with their token usage', async (t) => {
      const { prompt, words } = await connect(t, personality);
      const { stopReason, usage } = await within(prompt('a few words'), 'end');
      assert.deepEqual([stopReason, usage, words()], ['end_turn', { inputTokens: 5, outputTokens: 10, totalTokens: 15 }, 'a few words']);
    });

    test('an approved tool runs once, and incorrect server messages about it are not shown', async (t) => {
      const seam = await connect(t, personality);
      const turn = seam.prompt('ask');
      const request = await seam.asked.until('request', () => true);
      assert.ok(request.kind === 'permission');
      assert.deepEqual(
        request.options.map(({ kind }) => kind),
        ['allow_once', 'reject_once'],
      );
      assert.deepEqual([request.subject.title, request.subject.rawInput], ['shell', { command: 'make' }]);
      seam.answer(request, selectOption('approve'));
      assert.equal((await within(turn, 'end')).stopReason, 'end_turn');
      assert.equal(seam.words(), 'it was made');
      const expected = ['Text', 'ToolConfirmationResponse', ...(personality === 'real' ? ['Regenerate'] : [])];
      assert.deepEqual(await seam.inputs(expected.length), expected);
      const confirmation = await frameOf(seam, 'ToolConfirmationResponse');
      assert.equal(confirmation['request_id'], (await frameOf(seam, 'Text'))['request_id']);
      const answer = { name: 'shell', arguments: { command: 'make' }, approved: true };
      assert.deepEqual(confirmation['input'], { ToolConfirmationResponse: answer });
    });

    test('a rejected tool does not run, and the turn continues to its end', async (t) => {
      const seam = await connect(t, personality);
      const turn = seam.prompt('ask');
      seam.answer(await seam.asked.until('request', () => true), selectOption('reject'));
      assert.equal((await within(turn, 'end')).stopReason, 'end_turn');
      assert.doesNotMatch(seam.words(), /made/);
      assert.deepEqual(tools(seam.told.all), [['shell', 'rejected']]);
      assert.deepEqual(await seam.inputs(2), ['Text', 'ToolConfirmationResponse']);
    });

    test('more turns: an approval continues under either id, a rejection ends the turn at the limit', async (t) => {
      const seam = await connect(t, personality);
      for (const [answer, stopReason, words] of [
        [{ type: 'accept', values: {} }, 'end_turn', 'on we go'],
        [{ type: 'decline' }, 'max_turn_requests', 'The conversation is over.'],
      ] as const) {
        const asked = seam.asked.all.length;
        const turn = seam.prompt('turns');
        const request = await seam.asked.until('request', () => seam.asked.all.length > asked);
        assert.ok(request.kind === 'confirm' && request.title === 'Reset the turns?');
        seam.answer(seam.asked.all.at(-1) ?? request, answer);
        assert.equal((await within(turn, 'end')).stopReason, stopReason);
        assert.equal(seam.words(), words);
      }
      const frames = seam.standIn.frames();
      assert.equal(
        (await frameOf(seam, 'TurnConfirmationResponse'))['request_id'],
        frames.find(({ input }) => inputName(input) === 'Text')?.['request_id'],
      );
    });

    test('an interrupt without an answer still ends the turn', async (t) => {
      const seam = await connect(t, personality);
      const turn = seam.prompt('hang');
      await seam.told.until('words', () => seam.words() !== '');
      seam.session.cancel();
      assert.equal((await within(turn, 'end')).stopReason, 'cancelled');
      assert.deepEqual(await seam.inputs(2), ['Text', 'Interrupt']);
      assert.equal((await within(seam.prompt('after'), 'end')).stopReason, 'end_turn');
      assert.equal(seam.words(), 'after');
    });

    test('while the server waits for a decision, the host sends a rejection before an interrupt', async (t) => {
      const seam = await connect(t, personality);
      for (const words of ['ask', 'turns']) {
        const asked = seam.asked.all.length;
        const turn = seam.prompt(words);
        await seam.asked.until('request', () => seam.asked.all.length > asked);
        seam.session.cancel();
        assert.equal((await within(turn, 'end')).stopReason, 'cancelled');
      }
      const [, first, second, , third] = await seam.inputs(6);
      assert.deepEqual([first, second, third], ['ToolConfirmationResponse', 'Interrupt', 'TurnConfirmationResponse']);
      assert.deepEqual((await frameOf(seam, 'ToolConfirmationResponse'))['input'], {
        ToolConfirmationResponse: { name: 'shell', arguments: { command: 'make' }, approved: false },
      });
    });

    test('nothing is sent during a stream, because it would be lost', async (t) => {
      const seam = await connect(t, personality);
      for (const words of ['one', 'whole', 'ask', 'two', 'turns', 'tool', 'heard']) {
        const asked = seam.asked.all.length;
        const turn = seam.prompt(words);
        if (words === 'ask' || words === 'turns') {
          await seam.asked.until('request', () => seam.asked.all.length > asked);
          const request = seam.asked.all.at(-1) ?? assert.fail();
          seam.answer(request, request.kind === 'permission' ? selectOption('approve') : { type: 'accept', values: {} });
        }
        await within(turn, `end of ${words}`);
      }
      assert.equal(seam.words(), 'one|whole|ask|two|turns|tool|heard');
      assert.deepEqual(
        seam.standIn.notes.all.filter(({ dropped }) => dropped === true),
        [],
      );
    });

    test('an error about an unreadable message fails all open requests', async (t) => {
      const { prompt, words } = await connect(t, personality);
      const error = await rejects(prompt('unreadable'), 'request_failed');
      assert.match(error.params.detail ?? '', /^Failed to parse request/);
      await within(prompt('goes on'), 'end');
      assert.equal(words(), 'goes on');
    });

    test('if the server crashes between prompt and answer, every promise and tool call settles', async (t) => {
      const seam = await connect(t, personality);
      const turn = rejects(seam.prompt('ask'), 'agent_exited');
      await seam.asked.until('request', () => true);
      await seam.standIn.kill();
      await turn;
      assert.equal((await seam.closed.until('close', () => true)).answer.type, 'cancel');
      assert.equal((await seam.ends.until('end', () => true)).error.params.reason, 'connection_closed');
      await rejects(seam.prompt('more'), 'agent_exited');
      await rejects(seam.open(), 'agent_exited');
    });

    test('answers are read slowly, in lists, without a name, as one text and in many parts', async (t) => {
      const { prompt, words, told } = await connect(t, personality);
      for (const [asked, said] of [
        ['slow', 'slow wörds'],
        ['pieces', 'fn main()'],
        ['whole', 'in one piece'],
        ['multi', 'two files'],
        ['mib', 'x'.repeat(1024 * 1024)],
      ] as const) {
        await within(prompt(asked), `end of ${asked}`);
        assert.equal(words(), said);
      }
      assert.deepEqual(tools(told.all), [['ls', 'completed']]);
    });

    test('a failed tool is shown as failed, and its turn has the reason', async (t) => {
      const { prompt, told } = await connect(t, personality);
      const { params } = await rejects(prompt('toolError'), 'request_failed');
      assert.equal(params.detail, "Tool 'delete_file' execution failed: no such file");
      assert.deepEqual(tools(told.all), [['delete_file', 'failed']]);
    });

    test('an incomplete or too large message ends the connection with a reason', async (t) => {
      for (const [words, reason] of [
        ['half', 'connection_closed'],
        ['big', 'message_too_large'],
      ] as const) {
        const { prompt } = await connect(t, personality);
        assert.equal((await rejects(prompt(words), 'agent_exited')).params.reason, reason);
      }
    });

    test('a prompt that is too large is not sent, and the next one is', async (t) => {
      const { prompt, words } = await connect(t, personality);
      assert.equal((await rejects(prompt('x'.repeat(33 * 1024 * 1024)), 'unsupported')).params.reason, 'message_size');
      await within(prompt('smaller'), 'end');
      assert.equal(words(), 'smaller');
    });

    test('a regenerated answer ends with or without a report, and so does a cleared context', async (t) => {
      const seam = await connect(t, personality);
      await within(seam.prompt('words'), 'end');
      await within(seam.prompt('/regenerate'), 'end');
      assert.equal(seam.words(), 'again words');
      for (const command of ['/clear-context', '/regenerate']) {
        const { params } = await rejects(seam.prompt(`${command} and then fix the tests`), 'usage');
        assert.deepEqual(params, { reason: 'command_takes_no_text', command });
      }
      await within(seam.prompt('/clear-context'), 'end');
      await within(seam.prompt('heard'), 'end');
      assert.equal(seam.words(), 'heard');
      assert.deepEqual(await seam.inputs(4), ['Text', 'Regenerate', 'ClearContext', 'Text']);
    });

    test('each session has its own connection, and can be closed separately', async (t) => {
      const one = await connect(t, personality);
      const other = await one.open();
      await within(one.prompt('mine'), 'end');
      await within(other.prompt('heard'), 'end');
      assert.equal(other.words(), 'heard');
      await one.session.close?.();
      await within(other.prompt('still there'), 'end');
      assert.deepEqual(one.ends.all, []);
    });

    test('if one of several connections is lost, its session is lost and the others continue', async (t) => {
      const one = await connect(t, personality);
      const other = await one.open();
      await rejects(one.prompt('die'), 'session_unknown');
      assert.equal((await rejects(one.prompt('more'), 'session_unknown')).params.reason, 'refused');
      await within(other.prompt('still there'), 'end');
      assert.deepEqual([other.words(), one.ends.all], ['still there', []]);
    });
  });
}

test('commands are listed and sent as instructions; other slash texts are sent as text', async (t) => {
  const seam = await connect(t, 'documented');
  const told = eventsIn(seam.told.all).find((event) => event.type === 'commands');
  assert.ok(told?.type === 'commands');
  const names = ['help', 'clear', 'exit', 'reset', 'history', 'tools', 'config', 'clear-context', 'regenerate'];
  assert.deepEqual(
    told.commands.map(({ name }) => name),
    names,
  );
  await within(seam.prompt('/history last 5'), 'end');
  assert.equal(seam.words(), 'history {"args":"last 5"}');
  await within(seam.prompt('/nothing at all'), 'end');
  assert.equal(seam.words(), '/nothing at all');
  assert.deepEqual(await seam.inputs(2), ['Instruction', 'Text']);
});

test('frames with ids of completed requests are ignored, those with unknown ids are counted', async (t) => {
  const { prompt, words, backend } = await connect(t, 'real');
  for (let turn = 0; turn < 20; turn++) await within(prompt('.'), 'end');
  await within(prompt('late'), 'end');
  assert.deepEqual([words(), backend.stats.unknownResponses], ['done', 8]);
});

test('images and files are sent as such, text files as their text', async (t) => {
  const seam = await connect(t, 'documented');
  const content: readonly ContentBlock[] = [
    { type: 'text', text: 'Look:' },
    { type: 'resource', resource: { uri: 'file:///a.txt', text: 'its words' } },
    { type: 'image', data: 'AAAA', mimeType: 'image/png' },
    { type: 'resource', resource: { uri: 'file:///b/c.bin', mimeType: 'application/zip', blob: 'BBBB' } },
  ];
  await within(seam.session.prompt('t1', content, 'turn'), 'end');
  const [first, ...others] = ((await frameOf(seam, 'Multi'))['input'] as { Multi: readonly Record<string, unknown>[] }).Multi;
  assert.match(String(first?.['Text']), /^Look:\n\nfile:\/\/\/a\.txt\n```\nits words\n```$/);
  assert.deepEqual(others, [
    { Image: { data: 'AAAA', mime_type: 'image/png' } },
    { File: { filename: 'c.bin', content_type: 'application/zip', data: 'BBBB' } },
  ]);
});

test('the server is told to ask before it runs a tool, unless the user decides otherwise', async (t) => {
  const seam = await connect(t, 'documented');
  await within(seam.prompt('one'), 'end');
  const { config, stream, use_tools: useTools } = await frameOf(seam, 'Text');
  assert.deepEqual([config, stream, useTools], [{ ask_before_tool_execution: true }, true, true]);
  await seam.session.setOption('ask_before_tool_execution', false);
  await within(seam.prompt('ask'), 'end');
  assert.deepEqual([seam.words(), seam.asked.all], ['ran unasked', []]);
  await rejects(seam.session.setOption('model', 'gpt'), 'usage');
});

test("the user's limits and system prompt are sent with each request, if they are set", async (t) => {
  const seam = await connect(t, 'documented');
  for (const [id, value] of [
    ['max_tokens', '1000'],
    ['max_context_num', '7'],
    ['prompt', 'You are an expert.'],
  ] as const)
    await seam.session.setOption(id, value);
  await within(seam.prompt('one'), 'end');
  const limits = { max_tokens: 1000, max_context_num: 7, prompt: 'You are an expert.' };
  assert.deepEqual((await frameOf(seam, 'Text'))['config'], { ask_before_tool_execution: true, ...limits });
  for (const id of Object.keys(limits)) await seam.session.setOption(id, 'default');
  await within(seam.prompt('two'), 'end');
  const { frame } = await seam.standIn.notes.until('second prompt', (note) => JSON.stringify(note.frame?.['input']) === '{"Text":"two"}');
  assert.deepEqual(frame?.['config'], { ask_before_tool_execution: true });
  for (const value of ['0', '-1', '1.5', 'many', '', true]) await rejects(seam.session.setOption('max_tokens', value), 'usage');
  await rejects(seam.session.setOption('prompt', ' '), 'usage');
});

test('a server that can only be reached unencrypted is refused', async (t) => {
  const agent = { label: 'Stand-in', url: 'ws://192.0.2.1:8080/' };
  const dial: ConnectAgent = (options) => connectAgentCli({ ...options, agent, readKey: () => Promise.resolve(undefined) });
  const error = await rejects(connectSeam(t, dial, { agent: { label: '', command: '', args: [], env: {} } }), 'connect_failed');
  assert.deepEqual([error.params.reason, error.params['url']], ['plain_text', agent.url]);
});

for (const [protocol, to] of [
  ['agentCli', connectAgentCli],
  ['agentService', connectAgentService],
] as const)
  test(`${protocol}: a deadline that is too long for a timer counts as none`, async (t) => {
    const key = 'simpletest2025_the-only-one';
    const { url } = await startStandIn(t, protocol, protocol === 'agentCli' ? ['--real'] : ['--key', key]);
    const dial: ConnectAgent = (options) => to({ ...options, ...serverAt(url, protocol === 'agentCli' ? {} : { key }) });
    const never = 2 ** 31;
    const deadlines = { initializeMs: never, sessionMs: never, queryMs: never };
    await connectSeam(t, dial, { agent: { label: '', command: '', args: [], env: {} }, deadlines });
  });
