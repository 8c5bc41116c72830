/**
 * The example frames in the documentation of Pi's and xcsh's RPC modes (test/fixtures/pi): the agent's frames can be parsed and mapped, the
 * host sends the host's frames, and every resulting update is valid in the official schema.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import { AcpProjection } from '../../src/core/backends/acp/acpProjection.js';
import { connectPi, connectXcsh } from '../../src/core/backends/pi/piBackend.js';
import { PiEvents } from '../../src/core/backends/pi/piEvents.js';
import { commandFor } from '../../src/core/backends/pi/piOptions.js';
import { piFrames } from '../../src/core/backends/pi/piFrames.js';
import { PiSettings } from '../../src/core/backends/pi/piSettings.js';
import { PiTranscript } from '../../src/core/backends/pi/piTranscript.js';
import {
  commandsSchema,
  hostToolsSchema,
  messagesSchema,
  modelSchema,
  modelsSchema,
  stateSchema,
  statsSchema,
  switchedSchema,
} from '../../src/core/backends/pi/schema/answers.js';
import { parseFrame } from '../../src/core/backends/pi/schema/frames.js';
import { zSessionNotification } from '../../node_modules/@agentclientprotocol/sdk/dist/v1/schema/zod.gen.js';
import { within } from '../real/deadline.js';
import { examplesOf } from './piExamples.js';
import { piDialects, piStandIn } from './piPeers.js';
import { connectSeam, eventsIn, yesTo } from './seam.js';

const answers = {
  get_state: stateSchema,
  get_messages: messagesSchema,
  get_available_models: modelsSchema,
  set_model: modelSchema,
  get_commands: commandsSchema,
  get_session_stats: statsSchema,
  new_session: switchedSchema,
  switch_session: switchedSchema,
  fork: switchedSchema,
  clone: switchedSchema,
  set_host_tools: hostToolsSchema,
};

for (const document of ['pi-rpc', 'xcsh-rpc'] as const) {
  describe(`the examples of ${document}`, () => {
    const examples = examplesOf(document);

    test('those of the agent parse and become the expected events', () => {
      const transcript = new PiTranscript('/work', 'p');
      const settings = Object.create(PiSettings.prototype);
      const events = new PiEvents({ transcript, settings, period: 'p' });
      for (const { frame, event } of examples.filter(({ from }) => from === 'agent')) {
        const parsed = parseFrame(frame);
        assert.ok(parsed.kind === 'event' || parsed.kind === 'response' || parsed.kind === 'ignored', JSON.stringify([frame, parsed]));
        const mapped = parsed.kind === 'event' ? events.map(parsed.event, 1) : [];
        assert.deepEqual([...new Set(mapped.map(({ type }) => type))], event === undefined ? [] : [event], JSON.stringify(frame));
      }
    });

    test('those of its answers parse', () => {
      for (const { frame } of examples) {
        const schema = frame.success === true ? Object.entries(answers).find(([command]) => command === frame.command)?.[1] : undefined;
        if (schema !== undefined) assert.ok(schema.safeParse(frame.data).success, JSON.stringify(frame));
      }
    });

    test('they appear in the traffic as requests, responses and notifications', () => {
      for (const { from, frame } of examples) {
        const { kind, id } = piFrames.describe(frame, from === 'host' ? 'sent' : 'received');
        assert.notEqual(kind, 'other');
        assert.equal(id, kind === 'notification' && !/^(extension_ui_request|host_tool_update)$/.test(frame.type) ? undefined : frame.id);
        assert.deepEqual(piFrames.parse(piFrames.format(frame)), frame);
      }
    });
  });
}

test('a compaction that the agent skips is not told as one that was made', () => {
  const events = new PiEvents({ transcript: new PiTranscript('/work', 'p'), settings: Object.create(PiSettings.prototype), period: 'p' });
  const told = [{ type: 'auto_compaction_start' }, { type: 'auto_compaction_end', skipped: true }].flatMap((frame) => {
    const parsed = parseFrame(frame);
    return parsed.kind === 'event' ? events.map(parsed.event, 1) : [];
  });
  assert.deepEqual(
    told.map((event) => event.type === 'compaction' && event.status),
    ['in_progress', 'cancelled'],
  );
});

const sessions = mkdtempSync(path.join(tmpdir(), 'acp-host-pi-sessions-'));
after(() => rmSync(sessions, { recursive: true, force: true }));

const all = [
  'one',
  'tool',
  'grows',
  'edits',
  'think',
  'notices',
  'retries',
  'compacts',
  'plans',
  'silentCompletion',
  'babble',
  'hostTool',
  'ask',
];

for (const dialect of piDialects) {
  test(`${dialect}: every update conforms to the official schema, and the host sends what the documents show`, async (t) => {
    const seam = await connectSeam(t, dialect === 'xcsh' ? connectXcsh : connectPi, { agent: piStandIn(dialect, sessions) });
    const { session, told, prompt } = await seam.open();
    for (const words of all) {
      const turn = prompt(words);
      if (words === 'ask') {
        const request = await seam.asked.until('request', () => true);
        await session.prompt('later', [{ type: 'text', text: 'New instruction' }], 'steer');
        seam.answer(request, yesTo(request));
      }
      await within(turn, words);
    }
    await session.setOption('thought_level', 'high');
    const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' } as const;
    await within(session.prompt('t', [{ type: 'text', text: 'look' }, image], 'turn'), 'end');
    const projection = new AcpProjection(session.options);
    const updates = eventsIn(told.all).flatMap((event) => projection.project(event));
    assert.ok(updates.length > 20);
    for (const update of updates) {
      const { success, error } = zSessionNotification.safeParse({ sessionId: 's', update });
      assert.ok(success, JSON.stringify([update, error?.issues]));
    }
    // Frames of the same kind must have the same members as in the document.
    const shown = examplesOf(dialect === 'xcsh' ? 'xcsh-rpc' : 'pi-rpc').filter(({ from }) => from === 'host');
    const members = (frame: object): string =>
      Object.keys(frame)
        .filter((key) => key !== 'id')
        .sort()
        .join();
    for (const entry of seam.traffic.all) {
      if (entry.kind !== 'message' || entry.direction !== 'sent') continue;
      const { message } = entry;
      assert.ok(typeof message === 'object' && message !== null && 'type' in message);
      const same = shown.filter(({ frame }) => frame.type === message.type && frame.type !== 'extension_ui_response');
      if (same.length > 0 && dialect !== 'xcsh')
        assert.ok(
          same.some(({ frame }) => members(frame) === members(message)),
          JSON.stringify(message),
        );
    }
  });
}

test('options are set with the commands of the documents', () => {
  const models = [{ provider: 'anthropic', id: 'claude-sonnet-4-20250514', name: undefined, reasoning: undefined }];
  const made = [
    commandFor('model', 'anthropic/claude-sonnet-4-20250514', models),
    commandFor('thought_level', 'high', models),
    commandFor('steering', 'one-at-a-time', models),
    commandFor('follow_up', 'one-at-a-time', models),
    commandFor('auto_compaction', true, models),
    commandFor('auto_retry', true, models),
  ];
  const shown = examplesOf('pi-rpc').flatMap(({ from, frame }) =>
    from === 'host' && /^set_(?!session_name)/.test(frame.type) ? [frame] : [],
  );
  assert.deepEqual(made, shown);
  const [, , { id: _, ...interrupt } = {}] = examplesOf('xcsh-rpc').flatMap(({ frame }) =>
    /^(get_state|set_)/.test(frame.type) ? [frame] : [],
  );
  assert.deepEqual(commandFor('interrupt', 'wait', models), interrupt);
});
