/** Kills the engine of a conversation that two windows and a terminal show, and then checks that they, the engine and the disk agree. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import {
  type AgentDefinition,
  type ConversationClient,
  type ConversationState,
  createJournalStore,
  EngineClient,
  isRunning,
  nullLogger,
  readConversation,
  Redactor,
  type SessionState,
  type TranscriptItem,
} from '../../src/core/index.js';
import { connectToEngine } from '../../src/core/link/connect.js';
import { launchEngine } from '../../src/core/link/launchEngine.js';
import { emptySession } from '../../src/core/session/reducer.js';
import { journalFolder } from '../../src/core/store/stateFolder.js';
import { CliProcess, eventsOf, isRunning as isThere, makePlace, type Place } from '../cli/cliProcess.js';
import { cliProgram, demoAgentProgram } from '../cli/programs.js';
import { reached, text, textIn } from '../core/conversation/frontEnd.js';
import { answerTo } from './answers.js';
import { occurrences, processesMarked } from './chaos.js';
import type { KillPlan } from './plan.js';
import { Page } from './page.js';

/** Of the command line, which would end an idle engine of an older one. */
const { version } = JSON.parse(readFileSync(path.resolve(path.dirname(cliProgram), '../package.json'), 'utf8')) as { version: string };
const programs = path.dirname(cliProgram);
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value));

interface Window {
  readonly client: EngineClient;
  readonly conversation: ConversationClient;
}

/** A prompt that the engine accepted; its answer may have been lost with the engine. */
interface Sent {
  readonly text: string;
  readonly isAccepted: boolean;
  /** By the user's choice, after an interruption. */
  resent: number;
}

export class EngineKills {
  /** How often each strike had which effect. */
  readonly counts: Record<string, number> = {};
  readonly #place: Place;
  readonly #state: string;
  readonly #mark = randomUUID();
  readonly #agent: AgentDefinition;
  readonly #id = randomUUID();
  readonly #windows: Window[] = [];
  readonly #pages: Page[] = [];
  readonly #sent: Sent[] = [];
  #terminals: CliProcess[] = [];

  private constructor(place: Place) {
    this.#place = { ...place, env: { ...place.env, ACP_HOST_CHAOS_RUN: this.#mark } };
    this.#state = place.env['ACP_HOST_STATE'] ?? '';
    this.#agent = {
      id: 'demo',
      label: 'Demo',
      command: process.execPath,
      args: [demoAgentProgram],
      env: {},
      protocol: 'acp',
    };
  }

  static async open(): Promise<EngineKills> {
    const kills = new EngineKills(await makePlace({ 'a.txt': 'one\n' }));
    for (let window = 0; window < 2; window++) kills.#windows.push(await kills.#attach());
    await kills.#first.conversation.execute({ type: 'open' });
    for (const { conversation } of kills.#windows) {
      await reached(conversation, ({ live }) => live);
      kills.#pages.push(pageOf(conversation));
    }
    return kills;
  }

  /** @throws AssertionError saying what is lost, or different for whom */
  async round(plan: KillPlan): Promise<void> {
    const [sender, other] = plan.sender === 0 ? [this.#first, this.#second] : [this.#second, this.#first];
    const sending = this.#send(sender, plan.prompt);
    await reached(this.#first.conversation, ({ session }) => session?.items.some((item) => isPrompt(item, plan.prompt)) === true);
    const queueing = plan.queued === undefined ? undefined : this.#send(other, plan.queued);
    const terminal = this.#attachTerminal();
    if (plan.waitsForTerminal) await terminal.event('session', ({ event }) => event === 'session');
    const before = await this.#strike(plan);
    await Promise.all([sending, queueing]);
    await this.#backInStep(before);
    await this.#assertTerminal(terminal, plan.queued === undefined ? 1 : 2);
    this.#assertKept(before);
    await this.#choose(plan);
    await this.#settle(plan);
    await this.#assertInStep();
  }

  /** Everybody leaves. @throws AssertionError saying what is lost or left */
  async end(): Promise<void> {
    const { state } = this.#first.conversation;
    const pid = this.#enginePid;
    for (const page of this.#pages) page.dispose();
    for (const { client } of this.#windows.splice(0)) await client.leave();
    const store = createJournalStore({ directory: journalFolder(this.#state), redactor: new Redactor(), log: nullLogger });
    const shown = [...state.earlierSessions, ...(state.session ? [state.session] : [])].filter(({ items }) => items.length > 0);
    assert.deepEqual(plain(await readConversation(store, this.#id)), plain(shown), 'the log');
    for (const { text: prompt, isAccepted, resent } of this.#sent) {
      const times = promptsIn(state).filter((one) => one === prompt).length;
      assert.ok(times <= 1 + resent && (times >= 1 || !isAccepted), `${prompt} is there ${times} times`);
      const received = `"user_message_chunk","content":{"type":"text","text":${JSON.stringify(prompt)}}`;
      let got = 0;
      for (const { sessionId } of shown)
        got += await occurrences(path.join(this.#place.env['ACP_HOST_DEMO_STATE'] ?? '', `${sessionId}.jsonl`), received);
      assert.ok(got <= 1 + resent, `${prompt} reached the agent ${got} times`);
    }
    // An engine closes its connections just before it exits.
    while (isThere(pid)) await setImmediate();
    assert.deepEqual(await processesMarked(this.#mark), [], 'processes left behind');
  }

  /** Cleans up, also after a failed test. */
  async abandon(): Promise<void> {
    for (const { child } of this.#terminals) child.kill('SIGKILL');
    for (const { client } of this.#windows) {
      await client.stop().catch(() => {});
      client.dispose();
    }
    for (const pid of await processesMarked(this.#mark)) process.kill(Number(pid), 'SIGKILL');
    await this.#place.remove();
  }

  get #first(): Window {
    return this.#windows[0] ?? assert.fail('there is no window');
  }

  get #second(): Window {
    return this.#windows[1] ?? assert.fail('there is no window');
  }

  get #enginePid(): number {
    const { connection } = this.#first.client;
    return 'engine' in connection ? connection.engine.pid : assert.fail('no engine');
  }

  async #attach(): Promise<Window> {
    const args = [
      `--import=${new URL('../faults/diesInWrite.mjs', import.meta.url).href}`,
      path.join(programs, 'engine.mjs'),
      JSON.stringify({ stateFolder: this.#state, version }),
    ];
    const program = { file: process.execPath, args, env: this.#place.env, cwd: path.parse(process.execPath).root };
    const client = new EngineClient({
      async connect() {
        const wire = await connectToEngine({
          stateFolder: JSON.parse(args[2] ?? '').stateFolder,
          hello: { version, linkVersion: 1, program: 'editor', pid: process.pid },
          launch: () => launchEngine({ program, timeoutMs: 60_000 }),
        });
        return wire ?? assert.fail('no engine');
      },
      attaching: { program: 'editor', use: 'share', keepAliveMs: 0 },
      services: {
        peek_agent: () => Promise.resolve({ id: this.#agent.id, label: this.#agent.label, isFallback: false }),
        choose_agent: () =>
          Promise.resolve({
            definition: this.#agent,
            isFallback: false,
            baseEnv: this.#place.env,
            clientInfo: { name: 'chaos', title: 'Chaos', version: '0' },
            optionDefaults: [],
          }),
      },
    });
    await client.connected();
    return { client, conversation: client.open({ id: this.#id, cwd: this.#place.workspace }) };
  }

  async #send({ conversation }: Window, prompt: string): Promise<void> {
    const { ok } = await conversation.execute({ type: 'send', content: text(prompt) });
    this.#sent.push({ text: prompt, isAccepted: ok, resent: 0 });
  }

  #attachTerminal(): CliProcess {
    const terminal = new CliProcess(this.#place, ['attach', this.#id, '--format', 'json']);
    this.#terminals.push(terminal);
    return terminal;
  }

  /** @returns what the windows showed just before */
  async #strike({ strike, after }: KillPlan): Promise<readonly ConversationState[]> {
    const { conversation } = this.#first;
    const pid = this.#enginePid;
    let seen = 0;
    await reached(conversation, ({ session }) =>
      strike === 'asked' ? session?.requests.length !== 0 : session?.turn.type !== 'running' || seen++ >= after,
    );
    const lost = this.#windows.map(
      (window) =>
        new Promise<void>((resolve) => {
          const subscription = window.client.onConnection(({ state }) => {
            if (state !== 'lost') return;
            subscription.dispose();
            resolve();
          });
        }),
    );
    this.counts[strike] = (this.counts[strike] ?? 0) + 1;
    process.kill(pid, strike === 'write' ? 'SIGUSR2' : 'SIGKILL');
    await Promise.all(lost);
    return this.#windows.map((window) => window.conversation.state);
  }

  /** Resolves when every window has what the next engine found. */
  async #backInStep(before: readonly ConversationState[]): Promise<void> {
    await Promise.all(
      this.#windows.map(async ({ client, conversation }, index) => {
        await client.connected();
        await reached(conversation, (state) => state !== before[index] && state.isRestored && !isRunning(state));
      }),
    );
    await this.#assertInStep();
  }

  /** Checks that every window has what a new one would get. */
  async #assertInStep(): Promise<void> {
    const third = await this.#attach();
    await reached(third.conversation, ({ isRestored }) => isRestored);
    const { revision } = third.conversation.state;
    for (const { conversation } of this.#windows) await reached(conversation, (state) => state.revision >= revision);
    await reached(third.conversation, (state) => state.revision >= this.#first.conversation.state.revision);
    for (const { conversation } of this.#windows)
      assert.deepEqual(plain(conversation.state), plain(third.conversation.state), 'what two windows show');
    third.client.dispose();
    for (const page of this.#pages) {
      await page.settled();
      page.assertUpToDate();
    }
  }

  /** Checks that the terminal told each turn that it saw from the beginning to the end, as it is in the conversation. */
  async #assertTerminal(terminal: CliProcess, mostTurns: number): Promise<void> {
    const { stdout, stderr } = await terminal.ended();
    assert.equal(stderr, '');
    const lines = eventsOf(stdout);
    const turns = lines.flatMap((line) => (line.event === 'turn' ? [`${line.phase} ${line.turnId}`] : []));
    const { session } = this.#first.conversation.state;
    const ended = session?.items.flatMap((item) => (item.kind === 'turn_end' ? [item.turnId] : [])) ?? [];
    // The first one may have ended before the kill, so that the queued one had begun.
    const seen = ended.slice(-Math.min(Math.max(1, turns.length / 2), mostTurns));
    assert.deepEqual(
      turns,
      seen.flatMap((turnId) => [`start ${turnId}`, `end ${turnId}`]),
      stdout.slice(-2_000),
    );
    const told = lines.flatMap((line) => (line.event === 'update' ? [line.update] : []));
    const words = told.flatMap((update) => {
      const { content } = update as { readonly content?: { readonly text?: unknown } };
      return update.sessionUpdate === 'agent_message_chunk' ? [String(content?.text)] : [];
    });
    const kept = seen.map((turnId) => wordsOf(session, turnId)).join('');
    // What it told in the moment of the kill may not be on the disk, and stays on the screen.
    assert.equal(words.join('').slice(0, kept.length), kept, 'what the terminal told');
  }

  /** Checks that what had ended for a window is as it was. */
  #assertKept(before: readonly ConversationState[]): void {
    for (const { session } of before) {
      const whole = session?.items.slice(0, session.items.findLastIndex((item) => item.kind === 'turn_end') + 1) ?? [];
      const { state } = this.#first.conversation;
      const all = [...state.earlierSessions, ...(state.session ? [state.session] : [])].find((one) => one.sessionId === session?.sessionId);
      assert.deepEqual(plain(all?.items.slice(0, whole.length)), plain(whole), 'what had ended before the kill');
    }
  }

  /** What the user does after the interruption. */
  async #choose({ choice, sender }: KillPlan): Promise<void> {
    const { conversation } = sender === 0 ? this.#second : this.#first;
    const { interrupted, outbox } = conversation.state;
    if (choice === 'resend' && interrupted !== undefined) {
      const prompt = textIn(interrupted.content);
      for (const one of this.#sent) if (one.text === prompt) one.resent++;
      await conversation.execute({ type: 'resend_interrupted' });
    } else if (outbox.length > 0) await conversation.execute({ type: 'release_held' });
  }

  /** Answers what is asked and stops what would not end, until nothing runs and no prompt waits. */
  async #settle({ answer }: KillPlan): Promise<void> {
    const { conversation } = this.#second;
    for (;;) {
      await reached(conversation, (state) => !isRunning(state) || isBusy(state));
      const { state } = conversation;
      const [request] = state.session?.requests ?? [];
      if (state.blocker?.type === 'resume_refused') {
        this.counts['fresh'] = (this.counts['fresh'] ?? 0) + 1;
        await conversation.execute({ type: 'start_fresh', waiting: 'send' });
      } else if (!isRunning(state)) {
        if (state.outbox.length === 0) return;
        await conversation.execute({ type: 'release_held' });
      } else if (request !== undefined) {
        await conversation.execute({ type: 'answer_request', requestId: request.id, answer: answerTo(request, answer) });
      } else await conversation.execute({ type: 'cancel', scope: 'turn' });
      await reached(conversation, (now) => now !== state);
    }
  }
}

function pageOf(conversation: ConversationClient): Page {
  return new Page({
    get state() {
      const { session, id, cwd } = conversation.state;
      return session ?? emptySession(id, cwd, 0);
    },
    onBatch: (listener) => conversation.onChange(listener),
  });
}

const isBusy = ({ session }: ConversationState): boolean =>
  session !== undefined && (session.requests.length > 0 || session.turn.type === 'running');

const isPrompt = (item: TranscriptItem, words: string): boolean =>
  item.kind === 'message' && item.role === 'user' && textIn(item.content) === words;

function promptsIn({ earlierSessions, session, outbox, returned }: ConversationState): readonly string[] {
  const items = [...earlierSessions, ...(session ? [session] : [])].flatMap((one) => one.items);
  return [
    ...items.flatMap((item) => (item.kind === 'message' && item.role === 'user' ? [textIn(item.content)] : [])),
    ...[...outbox, ...returned].map(({ content }) => textIn(content)),
  ];
}

function wordsOf(session: SessionState | undefined, turnId: string | undefined): string {
  return (session?.items ?? [])
    .flatMap((item) => (item.kind === 'message' && item.role === 'agent' && item.turnId === turnId ? [textIn(item.content)] : []))
    .join('');
}
