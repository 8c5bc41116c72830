/**
 * What the documentation of Pi's and xcsh's RPC modes shows the host sending, compared with what it sends to a stand-in, which does not
 * prove interoperability. If the host never sends an example, or sends it in an equivalent form, its fixture says so.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test, type TestContext } from 'node:test';
import type { ConnectAgent } from '../../src/core/backends/agentBackend.js';
import { connectPi, connectXcsh } from '../../src/core/backends/pi/piBackend.js';
import { piDialect } from '../../src/core/backends/pi/dialect.js';
import { PiCalls } from '../../src/core/backends/pi/piCalls.js';
import { PiTranscript } from '../../src/core/backends/pi/piTranscript.js';
import { verbOf } from '../../src/core/backends/pi/piVerbs.js';
import { confineNavigation } from '../../src/core/services/codeNavigation.js';
import type { ContentBlock } from '../../src/core/session/model.js';
import type { SessionEvent } from '../../src/core/session/event.js';
import { within } from '../real/deadline.js';
import { examplesOf, type PiDocument } from './piExamples.js';
import { piStandIn, type StandInDialect } from './piPeers.js';
import { connectSeam, type OpenSession, type Seam, yesTo } from './seam.js';

const sessions = mkdtempSync(path.join(tmpdir(), 'acp-host-pi-examples-'));
after(() => rmSync(sessions, { recursive: true, force: true }));

const image: ContentBlock = { type: 'image', data: 'base64-encoded-data', mimeType: 'image/png' };
/** The path in the document. */
const exported = path.posix.join('/', 'tmp', 'session.html');
/** Members that the agent names, or that depend on what the host offers. Only their types are compared. */
const named = new Set(['id', 'sessionPath', 'entryId', 'provider', 'modelId', 'tools', 'text']);

function meaningOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(meaningOf);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, one]): [string, unknown] => [key, named.has(key) ? typeof one : meaningOf(one)]);
  return Object.fromEntries(entries.sort(([one], [other]) => one.localeCompare(other)));
}

/** The host chooses the ids of its commands. Its answers have the ids of the agent's requests. */
const withoutId = (frame: object): unknown =>
  meaningOf('type' in frame && /_(response|result)$/.test(String(frame.type)) ? frame : { ...frame, id: undefined });

function saysWhatIsShown({ traffic }: Seam, document: PiDocument): void {
  const sent = traffic.all.flatMap((entry) => (entry.kind === 'message' && entry.direction === 'sent' ? [entry.message] : []));
  const said = new Set(sent.map((frame) => JSON.stringify(withoutId(Object(frame)))));
  for (const { frame, as = frame, never } of examplesOf(document).filter(({ from }) => from === 'host'))
    assert.equal(said.has(JSON.stringify(withoutId(as))), never === undefined, JSON.stringify(frame));
}

async function open(t: TestContext, dialect: StandInDialect): Promise<Seam & OpenSession> {
  const nowhere = async (): Promise<readonly []> => [];
  const editor = { documentSymbols: nowhere, definitions: nowhere, typeDefinitions: nowhere, references: nowhere };
  const connect: ConnectAgent = (options) => {
    const codeNavigation = confineNavigation(options.cwd, { ...editor, diagnostics: nowhere, openEditors: nowhere });
    return (dialect === 'xcsh' ? connectXcsh : connectPi)({ ...options, services: { ...options.services, codeNavigation } });
  };
  const seam = await connectSeam(t, connect, { agent: piStandIn(dialect, sessions) });
  return { ...seam, ...(await seam.open()) };
}

/** Runs a turn, and answers its dialogs by their titles. */
async function asks(
  seam: Seam & OpenSession,
  prompt: string,
  answers: readonly (string | boolean)[],
  meanwhile = async () => {},
): Promise<void> {
  const before = seam.asked.all.length;
  const turn = seam.prompt(prompt);
  for (const [index, answer] of answers.entries()) {
    const at = before + index + 1;
    await seam.asked.until('request', () => seam.asked.all.length >= at);
    const request = seam.asked.all[at - 1] ?? assert.fail();
    if (index === 0) await meanwhile();
    if (answer === true) seam.answer(request, yesTo(request));
    else seam.answer(request, answer === false ? { type: 'cancel' } : { type: 'accept', values: { answer } });
  }
  await within(turn, prompt);
}

test('Pi: the host sends the examples of its document', async (t) => {
  const seam = await open(t, 'pi074');
  const { session } = seam;
  await asks(seam, 'ask', [true], async () => {
    const say = (text: string, delivery: 'steer' | 'followUp', ...more: readonly ContentBlock[]): Promise<unknown> =>
      session.prompt('more', [{ type: 'text', text }, ...more], delivery);
    await say('Stop and do this instead', 'steer');
    await say('Look at this instead', 'steer', image);
    await say('New instruction', 'steer');
    await say("After you're done, also do this", 'followUp');
    await say('Also check this image', 'followUp', image);
  });
  await asks(seam, 'dialogs', ['Allow', 'a name', false]);
  for (const words of ['Hello, world!', 'Hello!']) await within(seam.prompt(words), words);
  await within(session.prompt('t', [{ type: 'text', text: "What's in this image?" }, image], 'turn'), 'image');
  for (const [id, value] of [
    ['model', 'mock/one'],
    ['thought_level', 'high'],
    ['steering', 'one-at-a-time'],
    ['follow_up', 'one-at-a-time'],
    ['auto_compaction', true],
    ['auto_retry', true],
  ] as const)
    await within(session.setOption(id, value), id);
  const verbs = ['/compact', '/compact Focus on code changes', '/bash ls -la', '/stats', '/last', '/export', `/export ${exported}`];
  for (const verb of [...verbs, '/name my-feature-work', '/fork 2', '/clone']) await within(seam.prompt(verb), verb);
  for (const stopped of ['/bash ls -la', 'hang']) {
    const turn = seam.prompt(stopped);
    session.cancel();
    await within(turn, stopped);
  }
  await seam.open({ method: 'load', sessionId: 'earlier' });
  saysWhatIsShown(seam, 'pi-rpc');
});

test('xcsh: the host sends the examples of its document', async (t) => {
  const seam = await open(t, 'xcsh');
  await within(seam.prompt('Summarize this repo'), 'end');
  await asks(seam, 'ask', [true], async () => {
    await seam.session.prompt('more', [{ type: 'text', text: 'Also include risks' }], 'followUp');
  });
  await asks(seam, 'dialogs', ['Allow', 'feature/rpc-host', false]);
  await within(seam.session.setOption('steering', 'all'), 'steering');
  await within(seam.session.setOption('interrupt', 'wait'), 'interrupt');
  await within(seam.prompt('host editor_open_files {}'), 'tool');
  saysWhatIsShown(seam, 'xcsh-rpc');
});

test('Pi: the example answers to commands of the host are shown to the user', async () => {
  const examples = examplesOf('pi-rpc').flatMap(({ frame }) => (frame.type === 'response' && frame.success === true ? [frame] : []));
  const told = async (line: string, answer: (typeof examples)[number]): Promise<string> => {
    const events: SessionEvent[] = [];
    const calls: PiCalls = Object.create(PiCalls.prototype);
    const request: PiCalls['request'] = async (options) => options.answer.parse(answer.data);
    Object.defineProperty(calls, 'request', { value: request });
    const tools = new PiTranscript('/work', 'p').tools;
    const emit = (event: SessionEvent): void => void events.push(event);
    await verbOf(line, [])?.run({
      ...{ calls, tools, emit, timeoutMs: 1, now: () => 1, compactions: () => 0, onOutput: () => {}, dialect: piDialect },
      choose: async () => undefined,
      deriveSession: async ({ entryId = '' }) => ({ path: `from ${String(entryId)}`, text: undefined }),
    });
    return JSON.stringify(events);
  };
  for (const [line, command, ...words] of [
    ['/compact', 'compact', 'Summary of conversation...'],
    ['/bash ls', 'bash', 'total 48', 'truncated output...'],
    ['/stats', 'get_session_stats', 'totalMessages'],
    ['/export', 'export_html', exported],
    ['/last', 'get_last_assistant_text', "The assistant's response...", '[]'],
    ['/fork 2', 'get_fork_messages', 'from def456'],
  ] as const) {
    const answers = examples.filter((frame) => frame.command === command);
    assert.equal(answers.length, words.length, command);
    for (const [index, answer] of answers.entries()) {
      const all = await told(line, answer);
      assert.ok(all.includes(words[index] ?? ''), `${line}: ${all}`);
    }
  }
});
