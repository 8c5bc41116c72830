/** Runs one cell of the table: a real host, a real agent with one fault, and then all the checks. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentInfo } from '../../src/core/backends/agentBackend.js';
import { HostError } from '../../src/core/base/errors.js';
import { nullLogger } from '../../src/core/base/logger.js';
import { Redactor } from '../../src/core/base/redact.js';
import { type AgentHost, createAgentHost } from '../../src/core/host/agentHost.js';
import type { Session } from '../../src/core/host/api.js';
import { identifyProcess, type ProcessIdentity, signalAll } from '../../src/core/node/processTree.js';
import { createJournalStore, type JournalStore, type OpenJournal, readConversation } from '../../src/core/journal/journalStore.js';
import type { MessageItem, SessionState, TurnOutcome } from '../../src/core/session/model.js';
import { selectedOption, type UserAnswer } from '../../src/core/session/userRequest.js';
import { lines, text, until } from '../core/host/launch.js';
import type { Prepared, Subject } from './subjects.js';
import type { Expectation, Moment } from './table.js';

/** A cell that takes longer hangs. Generous, because the machine may be busy. */
const cellLimitMs = 30_000;
const restart = { firstDelayMs: 10, maxDelayMs: 20, starts: 3 };
const conversationId = 'cell';

/** The outcome of a call, as the table names it. */
const outcomeOf = (call: Promise<TurnOutcome | AgentInfo | Session>): Promise<string> =>
  call.then(
    (result) => ('type' in result ? wordsOf(result) : 'ok'),
    (error: unknown) => (error instanceof HostError ? error.code : String(error)),
  );
const wordsOf = (outcome: TurnOutcome): string => `${outcome.type} ${outcome.type === 'ended' ? outcome.stopReason : outcome.error.code}`;
const answerWords = (answer: UserAnswer): string =>
  answer.type === 'cancel'
    ? `cancelled ${answer.why ?? 'by the user'}`
    : answer.type === 'decline'
      ? 'declined'
      : `selected ${selectedOption(answer) ?? 'nothing'}`;

class Cell {
  readonly #subject: Subject;
  readonly #prepared: Prepared;
  readonly #host: AgentHost;
  readonly #journals: JournalStore;
  readonly #journal: OpenJournal = (session, isNew) => this.#journals.open(conversationId, session, isNew);
  readonly #folder: string;
  readonly #moment: Moment;
  readonly #expected: Expectation;
  /** Calls that have not settled, by name. */
  readonly #pending = new Map<Promise<unknown>, string>();
  readonly #answers: string[] = [];
  /** The first request of the agent. An event, because a request that closes at once may appear in no state. */
  readonly #asked: Promise<void>;
  #onAsked = (): void => {};
  /** The first loss of the agent's process. */
  readonly #lost: Promise<void>;
  #session: Session | undefined;
  /** The sessions that could not be resumed. The user continued each in another one. */
  readonly #before: Session[] = [];
  /** How the prompt ended that its sender held until the end of the turn. */
  #queued: Promise<string> | undefined;

  constructor(subject: Subject, prepared: Prepared, moment: Moment, expected: Expectation, folder: string) {
    this.#subject = subject;
    this.#prepared = prepared;
    this.#folder = folder;
    this.#moment = moment;
    this.#expected = expected;
    this.#journals = createJournalStore({ directory: join(folder, 'journals'), redactor: new Redactor(), log: nullLogger });
    this.#host = createAgentHost({
      agent: prepared.agent,
      cwd: folder,
      clientInfo: { name: 'laboratory', title: 'Laboratory', version: '0.0.0' },
      terminalAuth: false,
      restart,
      deadlines: { initializeMs: cellLimitMs, sessionMs: cellLimitMs, queryMs: cellLimitMs, ...expected.deadlines },
    });
    this.#host.onSession((session) => this.#watch(session));
    this.#host.onRestarted(() => void this.#resume());
    this.#asked = new Promise((resolve) => (this.#onAsked = resolve));
    this.#lost = new Promise((resolve) => {
      this.#host.onStatus(({ state }) => {
        if (state === 'reconnecting' || state === 'stopped' || state === 'failed') resolve();
      });
    });
  }

  async run(): Promise<void> {
    const { call, status, transcript = [], asks = [], queued, usable } = this.#expected;
    assert.equal(await this.#reach(), call, 'the call');
    assert.equal(await this.#queued, queued, 'the queued prompt');
    await this.#atRest();
    assert.equal(this.#host.status.state, status, 'the status');
    assert.deepEqual(this.#session === undefined ? [] : this.#certain(this.#read(this.#session.state)), transcript, 'the transcript');
    assert.deepEqual(this.#answers, asks, 'the answers to the agent');
    if (usable !== 'never') await this.#goOn(usable);
    await this.stop();
    await this.#afterwards();
    await this.#prepared.noneLeft?.();
  }

  /** Ends everything that was started; idempotent. */
  async stop(): Promise<void> {
    await this.#host.stop({ force: true });
  }

  dispose(): void {
    this.#host.dispose();
  }

  /** Kills the processes that the host left behind. */
  async sweep(): Promise<void> {
    await signalAll(await this.#running(), 'SIGKILL');
  }

  get pendingCalls(): readonly string[] {
    return [...this.#pending.values()];
  }

  get state(): string {
    return `status ${this.#host.status.state}, ${this.#session?.live === true ? 'live' : 'not live'}, pending: ${this.pendingCalls.join(', ') || 'nothing'}`;
  }

  /** Brings the conversation to the moment of the fault. @returns how the call ended that the fault struck */
  async #reach(): Promise<string> {
    switch (this.#moment) {
      case 'start':
      case 'initialize':
        return outcomeOf(this.#track('start', this.#host.start()));
      case 'new':
        return outcomeOf(this.#track('newSession', this.#host.newSession({ journal: this.#journal })));
      case 'prompt':
        await this.#earlier();
        return this.#turn('hello', async (session, outcome) => {
          if (this.#expected.queued !== undefined) {
            assert.equal(await outcomeOf(this.#track('prompt beside', session.prompt(text('beside')))), 'session_busy', 'a prompt beside');
            this.#queued = outcome.then(() => outcomeOf(this.#track('prompt later', session.prompt(text('later')))));
          }
          if (this.#expected.user === 'stops') await until(session, says(this.#subject.halfway));
        });
      case 'permission':
        await this.#earlier();
        return this.#turn('ask', async () => {
          if (this.#expected.user === 'stops') await this.#asked;
        });
      case 'cancel':
        await this.#earlier();
        return this.#turn('wait', async (session) => {
          await until(session, says(this.#subject.waiting));
          session.cancel();
          if (this.#expected.user === 'stops') await until(session, says(this.#subject.stopping));
        });
      case 'load':
        await this.#turn('hello');
        await this.#turn('more');
        process.kill(Number((await this.#kept('pids')).at(-1)), 'SIGKILL');
        await this.#lost;
        return 'ok';
      case 'idle': {
        const outcome = await this.#turn('hello');
        await this.#prepared.strikeAtRest?.();
        if (this.#expected.ends === true) await this.#lost;
        return outcome;
      }
    }
  }

  async #earlier(): Promise<void> {
    if (this.#expected.earlier === true) assert.equal(await this.#turn('earlier'), 'ended end_turn', 'the turn before');
  }

  async #turn(
    words: string,
    meanwhile: (session: Session, outcome: Promise<string>) => Promise<void> = () => Promise.resolve(),
  ): Promise<string> {
    const session = this.#session ?? (await this.#track('newSession', this.#host.newSession({ journal: this.#journal })));
    const outcome = outcomeOf(this.#track(`prompt ${words}`, session.prompt(text(words))));
    await meanwhile(session, outcome);
    if (this.#expected.user === 'stops' && words !== 'again' && words !== 'earlier') {
      session.cancel();
      await this.#track('stop', this.#host.stop({ force: true }));
    }
    return outcome;
  }

  /** Waits until the host has the status of the table. Otherwise the time limit of the cell ends the test. */
  async #atRest(): Promise<void> {
    const { status, late } = this.#expected;
    if (late !== undefined && this.#session !== undefined) await until(this.#session, (state) => this.#read(state).includes(late));
    const isThere = (): boolean =>
      this.#host.status.state === status && (this.#session === undefined || this.#session.live === (status === 'ready'));
    await new Promise<void>((resolve) => {
      if (isThere()) return resolve();
      const subscription = this.#host.onStatus(() => {
        if (!isThere()) return;
        subscription.dispose();
        resolve();
      });
    });
  }

  /** As the conversation does when the agent was restarted. A session without messages is not resumed. */
  async #resume(): Promise<void> {
    const session = this.#session;
    if (session === undefined || session.live || session.state.items.length === 0) return;
    await this.#host.loadSession(session.id, session.state, { journal: this.#journal }).catch(() => {});
  }

  async #goOn(usable: Exclude<Expectation['usable'], 'never'>): Promise<void> {
    if (usable === 'after a restart') await this.stop();
    await this.#prepared.comeBack?.();
    if (usable !== 'at once') {
      // The status changes while the failed call is still settling. No user acts that fast.
      await new Promise((resolve) => setImmediate(resolve));
      const before = this.#session;
      if (before !== undefined && usable !== 'in a new one')
        await this.#track('open again', this.#host.loadSession(before.id, before.state, { journal: this.#journal }));
      else {
        if (before !== undefined) this.#before.push(before);
        this.#session = undefined;
        await this.#track('open another', this.#host.newSession({ continues: before?.id, journal: this.#journal }));
      }
    }
    const { length } = this.#session === undefined ? [] : shown(this.#session.state);
    assert.equal(await this.#turn('again'), 'ended end_turn', 'the next turn');
    assert.deepEqual(
      this.#session === undefined
        ? []
        : this.#certain(shown(this.#session.state).slice(length)).filter((line) => !this.#subject.saidOnce.includes(line)),
      this.#subject.again,
      'the next turn',
    );
    const { mayAlsoSay } = this.#expected;
    const all = this.#session === undefined ? [] : shown(this.#session.state);
    assert.ok(all.filter((line) => line === mayAlsoSay).length <= 1, `${mayAlsoSay} more than once`);
    assert.equal(this.#host.status.state, 'ready', 'the status after the next turn');
  }

  /** The lines of the transcript, in the form of the table. */
  #read(state: SessionState): readonly string[] {
    return shown(this.#expected.mayBeCut === true ? { ...state, items: joined(state.items) } : state);
  }

  /** The lines without the one that any of several turns may show. */
  #certain(lines: readonly string[]): readonly string[] {
    return lines.filter((line) => line !== this.#expected.mayAlsoSay);
  }

  async #afterwards(): Promise<void> {
    assert.deepEqual(this.pendingCalls, [], 'calls that never settled');
    assert.equal(
      await readFile(join(this.#folder, 'struck'), 'utf8').catch(() => 'it did not'),
      this.#moment,
      'the moment at which the fault struck',
    );
    const prompts = await this.#kept('received');
    assert.deepEqual(prompts, [...new Set(prompts)], 'prompts that were sent twice');
    await this.#journalAgrees();
    assert.deepEqual(await this.#running(), [], 'processes left behind');
  }

  async #journalAgrees(): Promise<void> {
    const states = [...this.#before, ...(this.#session === undefined ? [] : [this.#session])].map(({ state }) => state);
    for (const { turn, requests, queue } of states)
      assert.deepEqual([turn, requests, queue], [{ type: 'idle' }, [], []], 'what is still open in the conversation');
    // A session without messages is not saved.
    const seen = states.filter(({ items }) => items.length > 0);
    assert.deepEqual(plain(await readConversation(this.#journals, conversationId)), plain(seen), 'the journal');
  }

  #watch(session: Session): void {
    if (session === this.#session) return;
    this.#session = session;
    session.onEvent((event) => {
      if (event.type === 'request_opened') this.#onRequest(session, event.request.id);
      if (event.type === 'request_closed') this.#answers.push(answerWords(event.answer));
    });
  }

  #onRequest(session: Session, requestId: string): void {
    this.#onAsked();
    if (this.#expected.user === 'refuses') session.answer(requestId, this.#subject.no);
  }

  #track<T>(name: string, call: Promise<T>): Promise<T> {
    this.#pending.set(call, name);
    const settled = (): void => void this.#pending.delete(call);
    call.then(settled, settled);
    return call;
  }

  /** The running ones of all processes that the agent was or started. */
  async #running(): Promise<readonly ProcessIdentity[]> {
    const found = await Promise.all((await this.#kept('pids')).map((pid) => identifyProcess(Number(pid))));
    return found.filter((one) => one !== undefined);
  }

  /** The lines of a file that the agent writes. */
  async #kept(name: string): Promise<readonly string[]> {
    const content = await readFile(join(this.#folder, name), 'utf8').catch(() => '');
    return content.split('\n').filter((line) => line !== '');
  }
}

/** The items with all of the agent's words in its first message. */
function joined(items: SessionState['items']): SessionState['items'] {
  const isWords = (item: SessionState['items'][number]): item is MessageItem => item.kind === 'message' && item.role === 'agent';
  const words = items.filter(isWords).flatMap(({ content }) => content.map((block) => (block.type === 'text' ? block.text : '')));
  const first = items.find(isWords);
  return items.flatMap((item): SessionState['items'] => {
    if (item === first) return [{ ...first, content: [{ type: 'text' as const, text: words.join('') }] }];
    return isWords(item) ? [] : [item];
  });
}

/** The transcript in the form of the table. */
const shown = (state: SessionState): string[] => lines(state).map((line) => line.replaceAll(/x{3,}/g, (flood) => `x×${flood.length}`));
const says =
  (line: string) =>
  (state: SessionState): boolean =>
    shown(state).some((one) => one.startsWith(line));
/** There is no `undefined` on disk. */
const plain = (states: readonly SessionState[]): unknown => JSON.parse(JSON.stringify(states));

/** @throws AssertionError if a check fails */
export async function runCell(subject: Subject, fault: string, moment: Moment, expected: Expectation): Promise<void> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'acp-host-fault-')));
  const prepared = await subject.prepare(fault, moment, folder);
  const cell = new Cell(subject, prepared, moment, expected, folder);
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new assert.AssertionError({ message: `the cell did not settle: ${cell.state}` })), cellLimitMs);
  });
  try {
    await Promise.race([cell.run(), tooLong]);
  } finally {
    clearTimeout(timer);
    await cell.stop();
    cell.dispose();
    await cell.sweep();
    await prepared.end?.();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
