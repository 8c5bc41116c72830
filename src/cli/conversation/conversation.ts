/** One conversation with one agent, shown and answered according to the options. `run` and `chat` decide what is sent. */
import {
  checkPrompt,
  type CommandResult,
  type ContentBlock,
  type ConversationClient,
  type ConversationCommand,
  type ConversationEvent,
  type ConversationState,
  DisposableStore,
  type EngineClient,
  type Event,
  eventsSince,
  fallbackAgent,
  type HostErrorData,
  requestTitle,
  suggestedAgent,
  toHostError,
  type TurnOutcome,
  type UserRequest,
  isInTurn,
  sessionsOf,
} from '../../core/index.js';
import { engineHangsText, engineRespondsText } from '../../text/engineText.js';
import { installText } from '../../text/installText.js';
import { oneLine } from '../../text/plainText.js';
import type { RecoveryChoice } from '../arguments/optionValues.js';
import type { ConversationRequest } from '../arguments/parseArguments.js';
import type { FrontEnd } from '../frontEnds/frontEnd.js';
import type { ChosenAgent } from '../system/agents.js';
import type { EngineUse } from '../system/engine.js';
import { Answering } from '../input/answering.js';
import { turnLines, undoLines } from '../output/changeText.js';
import { type CliError, toCliError } from '../output/errorText.js';
import type { Paint } from '../output/terminalText.js';
import { isRecording, lastUndoable, undoTurns } from './changedTurns.js';
import { type ConversationChange, Narrator, RequestNames } from './narrator.js';
import { signInAdvice } from './signIn.js';
import { SilenceWatch } from './silenceWatch.js';
import { isResumeFailed, toOptionError, toResumeError } from './trouble.js';

export function toContent(text: string): readonly ContentBlock[] {
  return [{ type: 'text', text }];
}

const defaultQuietSeconds = 20;
/** In 24 days: timers support no longer time. */
export const longestMs = 2 ** 31 - 1;
/** From when on it is told that a turn is still being recorded, and how long that is waited for. */
const recordMarkMs = 2_000;
const recordLimitMs = 60_000;

/** Anything but a number of seconds above zero has no effect. */
function quietMs(env: NodeJS.ProcessEnv): number {
  const seconds = Number(env['ACP_HOST_QUIET_SECONDS']);
  return Math.min((seconds > 0 ? seconds : defaultQuietSeconds) * 1000, longestMs);
}

export interface ConversationParts {
  readonly request: Pick<ConversationRequest, 'permission' | 'answer'>;
  /** Absent if another program chose the agent. */
  readonly agent?: ChosenAgent;
  readonly frontEnd: FrontEnd;
  /** Left at the end. */
  readonly engine: EngineUse;
  readonly client: ConversationClient;
  /** The environment in which the agent starts. */
  readonly env: NodeJS.ProcessEnv;
  /** Others have it too, and it goes on without this program. */
  readonly isJoined?: boolean;
}

export class Conversation {
  readonly #parts: ConversationParts;
  readonly #narrator: Narrator;
  readonly #silence: SilenceWatch;
  /** The prompts that were sent here. */
  readonly #sent = new Set<string>();
  /** What the narrator has shown. */
  #shown: ConversationState;
  /** What followed `#shown` was not told. */
  #isBehind = false;
  /** Nobody waits for the engine any longer. */
  readonly #givenUp: Promise<void>;
  readonly giveUp: () => void;
  /** The turn of the last prompt. */
  #turn: { readonly id: string; readonly outcome: TurnOutcome | undefined } | undefined;

  constructor(parts: ConversationParts) {
    const { request, frontEnd, client, isJoined = false } = parts;
    const { output, answerer } = frontEnd;
    let giveUp = (): void => {};
    this.#givenUp = new Promise((resolve) => (giveUp = resolve));
    this.giveUp = giveUp;
    this.#parts = parts;
    this.#shown = client.state;
    const names = new RequestNames();
    const answering = new Answering({
      policy: { permission: request.permission, answer: request.answer },
      answerer,
      send: (name, answer, feedback) => {
        const requestId = names.idOf(name);
        if (requestId !== undefined)
          void client.execute({ type: 'answer_request', requestId, answer, ...(feedback !== undefined && { feedback }) });
      },
      onUnusable: (unusable) =>
        output.note(`--answer is not an option for "${oneLine(requestTitle(unusable), 80)}", so the request was canceled`),
    });
    this.#narrator = new Narrator(output, answering, names, parts.engine.client.id, isJoined);
    this.#silence = new SilenceWatch({ output, quietMs: quietMs(parts.env), lastStderrLine: () => this.#stderrLine() });
    client.onChange((change) => this.#onChange(change));
    this.#watchEngine(output);
  }

  #watchEngine(output: FrontEnd['output']): void {
    let hangs = false;
    this.#parts.engine.client.onConnection((connection) => {
      if (connection.state === 'hanging')
        output.notice({ severity: 'warning', code: 'engine_hangs', message: engineHangsText(connection.engine.pid) });
      else if (hangs && connection.state === 'connected')
        output.notice({ severity: 'info', code: 'engine_responds', message: engineRespondsText });
      hangs = connection.state === 'hanging';
    });
  }

  get state(): ConversationState {
    return this.#parts.client.state;
  }

  /** Fires after the change was shown. */
  get onChange(): ConversationClient['onChange'] {
    return this.#parts.client.onChange;
  }

  /** How the turn of the last prompt ended, in a joined conversation the last one; undefined if it has not, or if there was none. */
  get outcome(): TurnOutcome | undefined {
    if (this.#parts.isJoined !== true) return this.#turn?.outcome;
    return this.state.session?.items.findLast((item) => item.kind === 'turn_end')?.outcome;
  }

  /**
   * Starts the agent and opens the session with its mode and model.
   * @returns why the session did not open
   */
  async open(): Promise<HostErrorData | undefined> {
    const { agent, frontEnd } = this.#parts;
    if (agent?.isFallback === true) {
      const { label, install } = suggestedAgent;
      frontEnd.output.note(`${label} was not found, so the ${fallbackAgent.commonName} answers. To install it: ${installText(install)}`);
    }
    const { blocker } = this.state;
    if (blocker !== undefined) return blocker.error;
    const result = await this.execute({ type: 'open' });
    return result.ok ? undefined : result.error;
  }

  execute(command: ConversationCommand): Promise<CommandResult> {
    return this.#parts.client.execute(command);
  }

  /** Sends a prompt as soon as the session accepts it. */
  async send(content: readonly ContentBlock[], delivery?: 'steer' | 'followUp'): Promise<CommandResult> {
    this.#warn(content);
    // What another front end left on hold does not hold up what is sent here.
    const order = this.state.interrupted === undefined ? 'next' : 'after_held';
    const result = await this.execute({ type: 'send', content, order, ...(delivery !== undefined && { delivery }) });
    if (result.ok) for (const id of result.ids ?? []) this.#sent.add(id);
    return result;
  }

  /** Sends what was sent here and is on hold. */
  release(): Promise<CommandResult> {
    return this.execute({ type: 'release_held', ids: [...this.#sent] });
  }

  /** Whether a prompt that was sent here is on hold. */
  get isHolding(): boolean {
    return this.state.outbox.some(({ id, held }) => held !== undefined && this.#sent.has(id));
  }

  /** Fires if it is deleted or closed by others. */
  get onClosed(): Event<string> {
    return this.#parts.engine.client.onClosed;
  }

  /** Continues in a new session, which gets the queued prompts. */
  continueInNewSession(choice: RecoveryChoice): Promise<CommandResult> {
    return this.execute({ type: choice === 'context' ? 'continue_with_context' : 'start_fresh', waiting: 'send' });
  }

  /** Resolves once `holds` is true for the state. */
  reached(holds: (state: ConversationState) => boolean): Promise<void> {
    if (holds(this.state)) return Promise.resolve();
    return new Promise((resolve) => {
      const subscription = this.onChange(({ state }) => {
        if (!holds(state)) return;
        subscription.dispose();
        resolve();
      });
    });
  }

  /**
   * Resolves when it is shown what the last turn changed. A folder with very many files takes a while.
   * @returns false if it is still not known, which is said
   */
  async changesShown(): Promise<boolean> {
    const { output } = this.#parts.frontEnd;
    const marking = setTimeout(() => output.note('Recording what the turn changed…'), recordMarkMs);
    let limit: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (limit = setTimeout(resolve, recordLimitMs)));
    await Promise.race([this.reached((state) => !isRecording(state)), late]);
    clearTimeout(marking);
    clearTimeout(limit);
    const isKnown = !isRecording(this.state);
    if (!isKnown) output.note('Still recording what the turn changed. Run `acp-host changes` later to see it');
    return isKnown;
  }

  /** The last turn that changed something and is not undone yet, as lines of a terminal. Never rejects. */
  lastChanges(paint: Paint): Promise<readonly string[]> {
    return this.#told(async (client) => {
      if (!(await this.changesShown())) return [];
      const last = await lastUndoable(client, this.state);
      return last === undefined ? ['No files were changed.'] : turnLines({ ...last.turn, files: last.files }, paint);
    });
  }

  /** Undoes it. @returns what was undone, as lines of a terminal; never rejects */
  undoLast(): Promise<readonly string[]> {
    return this.#told(async (client) => {
      if (isInTurn(this.state)) return ['The turn is still running.'];
      // What came before it is not what the user means.
      if (!(await this.changesShown())) return [];
      const last = await lastUndoable(client, this.state);
      if (last === undefined) return ['There is nothing to undo.'];
      const { undone, left } = undoLines(await undoTurns(client, this.state.id, [last]));
      return [...undone, ...left];
    });
  }

  async #told(act: (client: EngineClient) => Promise<readonly string[]>): Promise<readonly string[]> {
    try {
      return await act(this.#parts.engine.client);
    } catch (error) {
      return [this.describe(toHostError(error).toData()).message];
    }
  }

  describe(error: HostErrorData): CliError {
    return toCliError(error, this.#parts.frontEnd.agent.label);
  }

  /** Returns the error to report if the open session doesn't accept prompts. */
  explain(error: HostErrorData): CliError {
    const described = this.describe(error);
    return this.#narrator.wasOpen && isResumeFailed(this.state) ? toResumeError(described) : described;
  }

  /** Returns why an option could not be set. */
  explainOption(error: HostErrorData): CliError {
    return toOptionError(this.describe(error), this.#parts.frontEnd.agent.label);
  }

  /** Reports an error and what to do about it. */
  fail(error: CliError): void {
    const { frontEnd } = this.#parts;
    const { output } = frontEnd;
    const { info } = this.state;
    const described = toOptionError(error, frontEnd.agent.label);
    if (described.code !== 'auth_required') return output.error(described, this.#stderrTail());
    output.error({ ...described, data: { ...described.data, authMethods: info?.authMethods ?? [] } });
    output.note(this.signInAdvice);
  }

  /** Ends the agent at once, even while it is starting. */
  async kill(): Promise<void> {
    await this.#whileItResponds(this.execute({ type: 'force_stop' }));
  }

  /** Ends the agent gracefully. Must be the last call. */
  async end(): Promise<void> {
    this.#silence.dispose();
    await this.#whileItResponds(this.#close());
    await this.leave();
  }

  async #close(): Promise<void> {
    const { engine, client } = this.#parts;
    for (const { id } of client.state.outbox) if (this.#sent.has(id)) await client.execute({ type: 'unqueue', promptId: id });
    await engine.client.end(client.state.id);
  }

  /** Leaves the conversation as it is. Must be the last call. */
  async leave(): Promise<void> {
    const { engine, frontEnd } = this.#parts;
    this.#silence.dispose();
    await this.#whileItResponds(engine.end());
    frontEnd.answerer.dispose();
    await frontEnd.output.end();
  }

  /** Who wants to leave does not wait for an engine that hangs, nor after another Ctrl+C. */
  async #whileItResponds(work: Promise<unknown>): Promise<void> {
    const { client } = this.#parts.engine;
    const watching = new DisposableStore();
    const hangs = new Promise<void>((resolve) => {
      const look = (): void => void (client.connection.state === 'hanging' && resolve());
      watching.add(client.onConnection(look));
      look();
    });
    try {
      await Promise.race([work, hangs, this.#givenUp]);
    } finally {
      watching.dispose();
    }
  }

  #onChange({ state, events: told }: ConversationChange): void {
    const { agent } = state;
    const isMissed = (this.#isBehind ||= told === undefined && this.#shown.isRestored);
    // The next engine has not read yet what is saved.
    if (isMissed && !state.isRestored) return;
    const events = isMissed ? missedEvents(this.#shown, state) : (told ?? []);
    this.#isBehind = false;
    this.#shown = state;
    const change = { state, events };
    if (agent !== undefined) this.#parts.frontEnd.agent.label = agent.label;
    this.#narrator.show(change);
    this.#silence.update(state);
    for (const event of events) if (event.type === 'session') event.events.forEach((one) => this.#follow(one));
  }

  #stderrLine(): Promise<string> {
    const { engine, client } = this.#parts;
    return engine.client.call('stderr_line', { id: client.state.id }).catch(() => '');
  }

  #follow(event: Parameters<FrontEnd['output']['event']>[1]): void {
    // An agent may begin a turn by itself.
    if (event.type === 'turn_started' && event.content !== undefined) this.#turn = { id: event.turnId, outcome: undefined };
    if (event.type !== 'turn_ended' || event.turnId !== this.#turn?.id) return;
    const { outcome } = event;
    this.#turn = { id: event.turnId, outcome };
    if (outcome.type === 'failed' && outcome.error.code === 'auth_required') this.#parts.frontEnd.output.note(this.signInAdvice);
  }

  /** Explains a long wait before it begins. */
  #warn(content: readonly ContentBlock[]): void {
    const { frontEnd, agent } = this.#parts;
    const risk = checkPrompt(this.state.info ?? { name: agent?.definition.id ?? '' }, content);
    if (risk === undefined) return;
    frontEnd.output.note(
      `${frontEnd.agent.label} hangs on a run of ${risk.runChars} characters without a space: it does not respond for seconds to minutes. To avoid this, put the text in a file and name the file in the prompt`,
    );
  }

  /** Returns the stderr of an agent that has ended or failed. */
  #stderrTail(): string | undefined {
    const { status } = this.state;
    if (status.state === 'failed') return status.stderrTail;
    return status.state === 'stopped' ? this.outcome?.stderrTail : undefined;
  }

  /** How to sign in, as lines. */
  get signInAdvice(): string {
    const { agent, env } = this.#parts;
    return agent === undefined ? 'Sign in to the agent, then try again.' : signInAdvice(agent.definition, this.state.info, env);
  }
}

/**
 * What led to a state that came as a whole: from an engine that was lost, and from the next one, or because this program reads slowly. Without
 * that, what was said meanwhile would be missing here.
 */
function missedEvents(before: ConversationState, after: ConversationState): readonly ConversationEvent[] {
  const { session: was } = before;
  const { session, requests, status } = after;
  const isOpen = (one: UserRequest, all: readonly UserRequest[]): boolean => all.some(({ id }) => id === one.id);
  const asked = [
    ...before.requests
      .filter((one) => !isOpen(one, requests))
      .map(({ id, at }) => ({ type: 'request_closed', at, requestId: id, answer: { type: 'cancel' } }) as const),
    ...requests
      .filter((one) => !isOpen(one, before.requests))
      .map((request) => ({ type: 'request_opened', at: request.at, request }) as const),
  ];
  const same = was && sessionsOf(after).find((one) => one.id === was.id);
  return [
    ...asked.map((event) => ({ type: 'asked', event }) as const),
    ...(was && same ? [{ type: 'session', events: eventsSince(was, same) } as const] : []),
    ...(session !== undefined && same !== session ? [{ type: 'session_shown', session } as const] : []),
    { type: 'status', status },
  ];
}
