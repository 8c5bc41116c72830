/** Executes a plan with a real host, a real agent and real signals, and then checks that nothing was lost. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import {
  type AgentDefinition,
  type AgentHost,
  createAgentHost,
  createJournalStore,
  type Disposable,
  HostError,
  type Journal,
  type JournalStore,
  nullLogger,
  type OpenJournal,
  readConversation,
  reduceAll,
  Redactor,
  type Session,
  type SessionEvent,
  type SessionState,
  type TurnOutcome,
} from '../../src/core/index.js';
import { descendants, survivors } from '../real/processes.js';
import { answerTo } from './answers.js';
import { Page } from './page.js';
import type { Strike, TurnPlan } from './plan.js';

/** A server that the host does not start: its connections can be cut, and it can be suspended until it is thawed. */
export type ServerInDanger = Readonly<Record<'cut' | 'freeze' | 'thaw', () => void>>;

export interface ChaosOptions {
  readonly agent: AgentDefinition;
  readonly server?: ServerInDanger;
  /** The agent has a process for each of its sessions. */
  readonly processPerSession?: true;
  readonly baseEnv: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** The folder of the journals. */
  readonly directory: string;
  readonly turns: readonly TurnPlan[];
}

/** A host between two reloads of the window. */
interface Life {
  readonly host: AgentHost;
  readonly session: Session;
  readonly page: Page;
  /** The state at which the events begin. */
  readonly base: SessionState;
  readonly events: SessionEvent[];
}

interface Sent {
  readonly text: string;
  readonly outcome: Promise<string>;
}

const conversationId = 'chaos';
/** The limits on restarts never apply here. They have their own tests. */
const restart = { firstDelayMs: 2, maxDelayMs: 5, starts: 10_000, handshakeFailures: 1_000 };
const text = (words: string) => [{ type: 'text' as const, text: words }];
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value));

export class Chaos {
  readonly #options: ChaosOptions;
  readonly #store: JournalStore;
  readonly #journal: OpenJournal;
  /** In the environment of everything that the agent starts. */
  readonly #mark = randomUUID();
  readonly #open = new Set<Journal>();
  readonly #sent: Sent[] = [];
  readonly #processes = new Map<number, Awaited<ReturnType<typeof descendants>>[number]>();
  /** How often each kind of strike had which outcome. */
  readonly counts: Record<string, number> = {};
  #life: Life | undefined;
  /** Sessions that the agent could no longer resume. The user continued each in a new one. */
  readonly #earlier: SessionState[] = [];
  /** Of the running agent; its start is the one that `#pidOf` counted. */
  #pid = { starts: 0, pid: 0 };

  constructor(options: ChaosOptions) {
    this.#options = options;
    this.#store = createJournalStore({
      directory: options.directory,
      redactor: new Redactor(),
      log: nullLogger,
      onError: (error) => assert.fail(error),
    });
    this.#journal = (session, isNew) => this.#track(this.#store.open(conversationId, session, isNew));
  }

  async run(): Promise<void> {
    for (const plan of this.#options.turns) await this.#turn(plan);
    await this.#ready();
  }

  /** @param timesReceived how often the agent got a prompt @throws AssertionError saying what was lost */
  async assertNothingLost(timesReceived: (prompt: string) => Promise<number>): Promise<void> {
    const { session, page } = this.#alive();
    const { state } = session;
    const items = [...this.#earlier, state].flatMap((one) => one.items);
    const outcomes = await Promise.all(this.#sent.map(({ outcome }) => outcome));
    for (const [index, { text: prompt }] of this.#sent.entries()) {
      const shown = items.filter(
        (item) =>
          item.kind === 'message' && item.role === 'user' && item.content.some((block) => block.type === 'text' && block.text === prompt),
      );
      const wasSent = outcomes[index]?.startsWith('given back') !== true;
      assert.equal(shown.length, wasSent ? 1 : 0, `${prompt} (${outcomes[index]}) is shown ${shown.length} times`);
      assert.ok((await timesReceived(prompt)) <= 1, `${prompt} reached the agent more than once`);
    }
    assertTurnsComplete(items);
    assert.deepEqual([state.turn, state.requests, state.queue], [{ type: 'idle' }, [], []], 'what is still open');
    await page.settled();
    page.assertUpToDate();
  }

  /** Ends everything, and checks the journal and which processes are left. */
  async end(): Promise<void> {
    const life = this.#life;
    if (life === undefined) return;
    this.#life = undefined;
    await this.#endLife(life, {});
    assert.deepEqual(await survivors([...this.#processes.values()]), [], 'processes left behind');
    assert.deepEqual(await processesMarked(this.#mark), [], 'processes left behind, in groups of their own');
  }

  /** Cleans up after a failed test. */
  async abandon(): Promise<void> {
    await this.#life?.host.stop({ force: true });
    this.#life?.host.dispose();
  }

  get sessionId(): string {
    return this.#alive().session.id;
  }

  get outcomes(): Promise<readonly string[]> {
    return Promise.all(this.#sent.map(({ outcome }) => outcome));
  }

  async #turn(plan: TurnPlan): Promise<void> {
    await this.#ready();
    const { session } = this.#alive();
    const { strike } = plan;
    const struck: Promise<void>[] = [];
    const watching = this.#watch(session, plan, () => {
      if (strike === undefined || struck.length > 0) return;
      count(this.counts, strike.kind);
      struck.push(this.#strike(strike));
    });
    const turn = this.#send(session, plan.prompt);
    // A strike may take the session from under the second prompt, or bring it to its end only after the next life began.
    await (plan.queued === undefined ? turn : this.#send(session, plan.queued, turn));
    watching.dispose();
    await Promise.all(struck);
  }

  /** Calls `strike` at its time in the turn, and answers what the agent asks. */
  #watch(session: Session, { answer, strike, prompt }: TurnPlan, onTime: () => void): Disposable {
    let seen = -1;
    return session.onEvent((event) => {
      if (event.type === 'turn_started' && event.content?.some((block) => block.type === 'text' && block.text === prompt) === true)
        seen = 0;
      else if (seen >= 0) seen++;
      if (event.type === 'request_opened' && answer !== 'leave') session.answer(event.request.id, answerTo(event.request, answer));
      // Not within the event, because signals and clicks come from outside.
      if (strike?.at === 'ask' ? event.type === 'request_opened' : seen >= 0 && seen >= (strike?.at ?? Infinity)) queueMicrotask(onTime);
    });
  }

  async #strike({ kind }: Strike): Promise<void> {
    const { host, session } = this.#alive();
    const { server } = this.#options;
    switch (kind) {
      case 'kill':
        if (server !== undefined) return server.cut();
        return kill(await this.#newest(host), 'SIGKILL');
      case 'freeze':
        if (server === undefined) kill(await this.#newest(host), 'SIGSTOP');
        else server.freeze();
        await host.stop({ force: true });
        return server?.thaw();
      case 'cancel':
        return session.cancel();
      case 'forceStop':
        session.cancel();
        return host.stop({ force: true });
      case 'reload':
        return this.#reload({});
      case 'hastyReload':
        return this.#reload({ force: true });
    }
  }

  async #reload(how: { readonly force?: boolean }): Promise<void> {
    const life = this.#alive();
    this.#life = undefined;
    await this.#endLife(life, how);
    const kept = (await readConversation(this.#store, conversationId)).at(-1);
    assert.ok(kept?.id === life.session.state.id);
    let forgotten = false;
    const next = await this.#begin((host) =>
      host.loadSession(life.session.id, kept, { journal: this.#journal }).catch((error: unknown) => {
        if (!isForgotten(error)) throw error;
        forgotten = true;
        return host.newSession({ continues: life.session.id, journal: this.#journal });
      }),
    );
    this.#life = next;
    if (forgotten) {
      this.#earlier.push(kept);
      count(this.counts, 'fresh');
      return;
    }
    // What was shown before stays, and new items are below it.
    assert.deepEqual(plain(next.base.items.slice(0, kept.items.length)), plain(kept.items), 'the transcript after a reload');
  }

  async #endLife(life: Life, how: { readonly force?: boolean }): Promise<void> {
    await life.host.stop(how);
    await this.outcomes;
    await this.#assertSeen(life);
    life.host.dispose();
    await Promise.all([...this.#open].map((journal) => journal.close()));
    this.#open.clear();
    await this.#assertKept(life.session.state);
  }

  /** Checks that the replay of the events, the host's state and the page are equal. */
  async #assertSeen({ base, events, session, page }: Life): Promise<void> {
    assert.deepEqual(withoutStarts(reduceAll(base, events)), withoutStarts(session.state), 'the replay of the events');
    await page.settled();
    page.assertUpToDate();
    page.dispose();
  }

  async #assertKept(state: SessionState): Promise<void> {
    // An empty session is not saved.
    const seen = [...this.#earlier, state].filter(({ items }) => items.length > 0);
    assert.deepEqual(plain(await readConversation(this.#store, conversationId)), plain(seen), 'the journal');
  }

  /** Waits until the session is open and its agent runs. */
  async #ready(): Promise<void> {
    this.#life ??= await this.#begin((host) => host.newSession({ journal: this.#journal }));
    const { host, session } = this.#life;
    if (host.status.state === 'reconnecting' && !session.live) await atRest(host, session);
    if (!session.live)
      await host.loadSession(session.id, session.state, { journal: this.#journal }).catch((error: unknown) => this.#goOnFresh(error));
    await this.#look(host);
  }

  /** Continues in a new session, as the user chooses if the agent no longer knows the conversation. */
  async #goOnFresh(error: unknown): Promise<void> {
    if (!isForgotten(error)) throw error;
    const life = this.#alive();
    await this.#assertSeen(life);
    await Promise.all([...this.#open].map((journal) => journal.flush()));
    await this.#assertKept(life.session.state);
    this.#earlier.push(life.session.state);
    count(this.counts, 'fresh');
    this.#life = await this.#liveIn(life.host, () => life.host.newSession({ continues: life.session.id, journal: this.#journal }));
  }

  #begin(open: (host: AgentHost) => Promise<Session>): Promise<Life> {
    const { agent, cwd, baseEnv } = this.#options;
    const host = createAgentHost({
      agent: 'command' in agent ? { ...agent, env: { ...agent.env, ACP_HOST_CHAOS_RUN: this.#mark } } : agent,
      cwd,
      baseEnv,
      restart,
      terminalAuth: false,
      clientInfo: { name: 'chaos', title: 'Chaos', version: '0.0.0' },
    });
    this.#pid = { starts: 0, pid: 0 };
    return this.#liveIn(host, () => open(host));
  }

  async #liveIn(host: AgentHost, open: () => Promise<Session>): Promise<Life> {
    let begun: Pick<Life, 'base' | 'events'> | undefined;
    const subscription = host.onSession((session) => {
      if (begun !== undefined) return;
      const events: SessionEvent[] = [];
      begun = { base: session.state, events };
      session.onEvent((event) => events.push(event));
    });
    const session = await open();
    subscription.dispose();
    assert.ok(begun !== undefined);
    await this.#look(host);
    return { host, session, page: new Page(session), ...begun };
  }

  /** Returns the newest process, because agents with a process for each session may have another one by now. */
  async #newest(host: AgentHost): Promise<number> {
    if (this.#options.processPerSession === true) {
      this.#pid = { ...this.#pid, starts: -1 };
      await this.#look(host);
    }
    return this.#pid.pid;
  }

  /** Remembers the processes of an agent that was started since the last call. */
  async #look(host: AgentHost): Promise<void> {
    const { agent: definition } = this.#options;
    const { starts } = host.diagnostics().counters;
    if (starts === this.#pid.starts || !('command' in definition)) return;
    const found = await descendants(definition.command === process.execPath ? (definition.args.at(0) ?? '') : definition.command);
    for (const one of found) this.#processes.set(one.pid, one);
    const isNew = (pid: number): boolean => this.#options.processPerSession === true || pid !== this.#pid.pid;
    const agent = found.findLast(({ parent, state, pid }) => parent === process.pid && !state.startsWith('Z') && isNew(pid));
    // It may have ended already, which is common in this test.
    if (agent === undefined && this.#options.processPerSession === true) return;
    assert.ok(agent !== undefined, 'the agent has no process');
    this.#pid = { starts, pid: agent.pid };
  }

  /** @param after the outcome of the turn that must end before the prompt is sent */
  #send(session: Session, prompt: string, after?: Promise<string>): Promise<string> {
    const turn = after === undefined ? session.prompt(text(prompt)) : after.then(() => session.prompt(text(prompt)));
    const outcome = turn.then(wordsOf, (error: unknown) => `given back: ${error instanceof HostError ? error.code : String(error)}`);
    this.#sent.push({ text: prompt, outcome });
    return outcome;
  }

  #alive(): Life {
    assert.ok(this.#life !== undefined, 'there is no window');
    return this.#life;
  }

  #track(journal: Journal): Journal {
    this.#open.add(journal);
    return journal;
  }
}

function assertTurnsComplete(items: SessionState['items']): void {
  const begun = items.flatMap((item) =>
    item.kind === 'message' && item.role === 'user' && item.turnId !== undefined ? [item.turnId] : [],
  );
  const finished = items.flatMap((item) => (item.kind === 'turn_end' ? [item.turnId] : []));
  assert.deepEqual(finished, begun, 'turns and their ends');
}

function wordsOf(outcome: TurnOutcome): string {
  return outcome.type === 'ended' ? outcome.stopReason : outcome.type;
}

/** Whether the agent has lost its copy of the conversation, or never has one. */
function isForgotten(error: unknown): boolean {
  return (
    error instanceof HostError && (error.code === 'session_unknown' || (error.code === 'unsupported' && error.params.reason === 'resume'))
  );
}

/** A text that came in pieces within a frame begins with the frame's last piece for the state, with its first one for who saw each. */
function withoutStarts(state: SessionState): unknown {
  return plain({ ...state, items: state.items.map((item) => (item.kind === 'message' ? { ...item, startedAt: 0 } : item)) });
}

/** Resolves when the session is live again, or the host has given up. */
function atRest(host: AgentHost, session: Session): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!session.live && (host.status.state === 'reconnecting' || host.status.state === 'starting')) return;
      subscription.dispose();
      resolve();
    };
    const subscription = host.onStatus(look);
    look();
  });
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It ended on its own in the meantime.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

/** Ids of the processes that have the mark in their environment. None if the system does not show it. */
export async function processesMarked(mark: string): Promise<readonly string[]> {
  const ids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const environments = await Promise.all(ids.map((id) => readFile(`/proc/${id}/environ`, 'utf8').catch(() => '')));
  return ids.filter((_, index) => environments[index]?.includes(mark));
}

/** How often a text occurs in a file. 0 if there is no file. */
export async function occurrences(file: string, wanted: string): Promise<number> {
  const content = await readFile(file, 'utf8').catch(() => '');
  return content.split(wanted).length - 1;
}
