/**
 * The example frames in the documents of Agent-CLI Remote and the agent service (test/fixtures/servers): the server's frames can be parsed
 * and mean what they should, the host sends the host's frames, and every resulting update is valid in the official schema.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { AcpProjection } from '../../src/core/backends/acp/acpProjection.js';
import { connectAgentCli } from '../../src/core/backends/agentCli/agentCliBackend.js';
import { agentCliFrames } from '../../src/core/backends/agentCli/agentCliFrames.js';
import { toInput } from '../../src/core/backends/agentCli/promptInput.js';
import { parseCommands, parseFrame } from '../../src/core/backends/agentCli/schema/messages.js';
import { connectAgentService } from '../../src/core/backends/agentService/agentServiceBackend.js';
import { agentServiceFrames } from '../../src/core/backends/agentService/agentServiceFrames.js';
import { parseReply } from '../../src/core/backends/agentService/schema/messages.js';
import { taskPrompt } from '../../src/core/session/codeTask.js';
import type { ContentBlock } from '../../src/core/session/model.js';
import { zSessionNotification } from '../../node_modules/@agentclientprotocol/sdk/dist/v1/schema/zod.gen.js';
import { within } from '../real/deadline.js';
import { serverAt, startStandIn } from '../standIns/startStandIn.js';
import { connectSeam, eventsIn, type OpenSession, type Seam, yesTo } from './seam.js';

type Fields = Readonly<Record<string, unknown>>;
interface Example {
  readonly direction: 'sent' | 'received';
  readonly frame: Fields;
  /** Present instead of a frame if the document shows only a part of one. */
  readonly part: Fields;
}

function examplesOf(document: string): readonly Example[] {
  const text = readFileSync(new URL(`../fixtures/servers/${document}.jsonl`, import.meta.url), 'utf8');
  return text.split('\n').flatMap((line): readonly Example[] => (line === '' ? [] : [JSON.parse(line)]));
}

const framesOf = (document: string, direction: Example['direction']): readonly Fields[] =>
  examplesOf(document).flatMap((example) => (example.direction === direction ? [example.frame] : []));

/** Returns the sent messages by their names. */
function sentBy({ traffic }: Seam, nameOf: (frame: Fields) => string): ReadonlyMap<string, Fields> {
  const frames = traffic.all.flatMap((entry) => {
    const isObject = entry.kind === 'message' && entry.direction === 'sent' && typeof entry.message === 'object' && entry.message !== null;
    return isObject ? [Object.fromEntries(Object.entries(entry.message ?? {}))] : [];
  });
  return new Map(frames.map((frame) => [nameOf(frame), frame]));
}

function isOfSchema({ session, told }: OpenSession): void {
  const projection = new AcpProjection(session.options);
  const updates = eventsIn(told.all).flatMap((event) => projection.project(event));
  assert.ok(updates.length > 5);
  for (const update of updates) {
    const { success, error } = zSessionNotification.safeParse({ sessionId: 's', update });
    assert.ok(success, JSON.stringify([update, error?.issues]));
  }
}

/** Checks that members which both values have are of the same type. */
function sameShape(own: unknown, shown: unknown, at: string): void {
  assert.equal(typeof own, typeof shown, at);
  if (typeof own !== 'object' || own === null || typeof shown !== 'object' || shown === null) return;
  const [ours, theirs] = [Object.entries(own), new Map(Object.entries(shown))];
  for (const [name, value] of ours) if (theirs.has(name)) sameShape(value, theirs.get(name), `${at}.${name}`);
}

describe('the examples of Agent-CLI Remote', () => {
  const document = 'agent-cli-remote';
  const inputName = ({ input }: Fields): string => (typeof input === 'string' ? input : (Object.keys(Object(input))[0] ?? ''));

  test('the server messages are parsed with the expected meaning', () => {
    const meanings = framesOf(document, 'received').map((frame) => {
      const parsed = parseFrame(frame) ?? assert.fail(JSON.stringify(frame));
      assert.equal(agentCliFrames.describe(frame, 'received').kind === 'other', false);
      return parsed.error === undefined
        ? parsed.parts.map(({ type }) => type).join()
        : parsed.error.tool === undefined
          ? 'error'
          : 'tool error';
    });
    assert.deepEqual(meanings, [
      'text',
      'piece',
      'complete',
      'text',
      'error',
      'confirm_call',
      'tool error',
      'confirm_turns',
      'confirm_turns',
      'piece',
      'text',
    ]);
    const [, pieces, complete, commands] = framesOf(document, 'received').map(parseFrame);
    const [piece] = pieces?.parts ?? [];
    assert.ok(piece?.type === 'piece' && piece.text.startsWith('fn main() {\n    println!("Hello, World!'));
    assert.deepEqual(complete?.parts, [
      { type: 'complete', interrupted: false, usage: { inputTokens: 15, outputTokens: 45, totalTokens: 60 } },
    ]);
    const [text] = commands?.parts ?? [];
    assert.equal(text?.type === 'text' && parseCommands(text.text)?.length, 7);
  });

  test('prompts are converted to the example inputs, and the example response parts are parsed', () => {
    const command = '指令名称';
    const prompts: Readonly<Record<string, readonly ContentBlock[]>> = {
      Text: [{ type: 'text', text: '要处理的文本内容' }],
      Image: [{ type: 'image', data: 'base64编码的图像数据', mimeType: 'image/png' }],
      Instruction: [{ type: 'text', text: `/${command}` }],
      File: [{ type: 'resource', resource: { uri: 'file:///文件名', mimeType: 'text/plain', blob: 'base64编码的文件内容' } }],
      Multi: [],
      Regenerate: [{ type: 'text', text: '/regenerate' }],
      ClearContext: [{ type: 'text', text: '/clear-context' }],
    };
    const meanings: string[] = [];
    for (const { direction, part } of examplesOf('agent-cli-parts')) {
      const [name = '', payload] = Object.entries(part)[0] ?? [];
      if (direction === 'received') {
        const parts = parseFrame({ request_id: 'r', response: part, error: null, token_usage: null })?.parts;
        meanings.push(`${name}: ${parts?.map(({ type }) => type).join() ?? 'nothing'}`);
      } else if (name in prompts) {
        // serde writes a unit variant as its name, and the document shows it with null.
        assert.deepEqual(toInput(prompts[name] ?? [], [{ name: command, description: '' }]), payload === null ? name : part);
      } else assert.ok(name === 'GetCommands' || name === 'Interrupt', `${name} is sent without a prompt`);
    }
    assert.deepEqual(meanings, ['Text: text', 'Stream: piece', 'Complete: complete', 'ToolCall: call', 'ToolResult: result', 'Multi: ']);
  });

  test('the host sends the documented messages, apart from `stream` and `config`, and each resulting update conforms to the ACP schema', async (t) => {
    const { url } = await startStandIn(t, 'agentCli', ['--documented']);
    const seam = await connectSeam(t, (options) => connectAgentCli({ ...options, ...serverAt(url) }), {
      agent: { label: 'Stand-in', command: '', args: [], env: {} },
    });
    const session = await seam.open();
    for (const words of ['你好', 'tool', 'ask', 'turns', 'multi', '/help']) {
      const asked = seam.asked.all.length;
      const turn = session.prompt(words);
      if (words === 'ask' || words === 'turns') {
        await seam.asked.until('request', () => seam.asked.all.length > asked);
        const request = seam.asked.all.at(-1) ?? assert.fail();
        seam.answer(request, yesTo(request));
      }
      await within(turn, `end of ${words}`);
    }
    isOfSchema(session);
    const sent = sentBy(seam, inputName);
    for (const shown of framesOf(document, 'sent')) {
      const own = sent.get(inputName(shown)) ?? assert.fail(`${inputName(shown)} was not sent`);
      sameShape(own, shown, inputName(shown));
      assert.deepEqual(
        Object.keys(own).filter((name) => !['stream', 'config'].includes(name) && !(name in shown)),
        [],
      );
      assert.equal(typeof own['stream'], 'boolean');
      assert.equal(agentCliFrames.describe(shown, 'sent').kind, 'request');
    }
  });
});

describe('the examples of the agent service', () => {
  const document = 'agent-service';

  test('the service messages are parsed with the expected meaning', () => {
    assert.deepEqual(framesOf(document, 'received').map(parseReply), [
      { id: '123', models: ['local deepseek-R1:32b', 'deepseek-R1:32b'] },
      // Without a stream, an unfinished message is a complete answer.
      { id: '123', text: '' },
      { id: '123', error: 'cancelled' },
    ]);
  });

  test('the host sends the documented messages, apart from optional members, and each resulting update conforms to the ACP schema', async (t) => {
    const { url } = await startStandIn(t, 'agentService');
    const seam = await connectSeam(t, (options) => connectAgentService({ ...options, ...serverAt(url) }), {
      agent: { label: 'Stand-in', command: '', args: [], env: {} },
    });
    const session = await seam.open();
    const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 12 } };
    const symbols = [{ name: 'next_turn', kind: 'Function', range, children: [] }];
    const about = { uri: 'file:///example/game.py', selected: { range, text: 'def go(): 1\n' }, whole: 'def go(): 1\n', symbols };
    const prompts: readonly (readonly ContentBlock[])[] = [
      [{ type: 'text', text: 'hello' }],
      ...(['explain', 'docstring', 'optimize', 'fix', 'unittest'] as const).map((kind) => taskPrompt({ kind, ...about })),
    ];
    for (const content of prompts) await within(session.session.prompt('t', content, 'turn'), 'end');
    isOfSchema(session);
    const sent = sentBy(seam, ({ cmd }) => String(cmd));
    for (const shown of framesOf(document, 'sent')) {
      const own = sent.get(String(shown['cmd'])) ?? assert.fail(`${String(shown['cmd'])} was not sent`);
      sameShape(own, shown, String(shown['cmd']));
      // The document of one command does not show `model`, where it does no harm.
      assert.deepEqual(
        Object.keys(own).filter((name) => name !== 'model' && !(name in shown)),
        [],
      );
      const optional = new Set(['stream', 'user_prompt']);
      assert.deepEqual(
        Object.keys(shown).filter((name) => !optional.has(name) && !(name in own)),
        [],
      );
      assert.equal(agentServiceFrames.describe(shown, 'sent').kind, 'request');
    }
  });
});
