import type { Clock } from '../../base/clock.js';
import { HostError } from '../../base/errors.js';
import type { Redactor } from '../../base/redact.js';
import type { HostServices } from '../../services/hostServices.js';
import type { SessionEvent } from '../../session/event.js';
import type { StopReason, TurnUsage } from '../../session/model.js';
import { type PermissionOption, selectedOption } from '../../session/userRequest.js';
import type { PromptResult } from '../agentBackend.js';
import type { AgentCliLine, SendOptions } from './agentCliLine.js';
import type { Frame, Input, Part, ServerError } from './schema/messages.js';
import type { ToolCards } from './toolCards.js';

/** The server runs an approved call either at once or with the next `Regenerate`, which is sent after this silence. */
const continueAfterMs = 2_000;
/** In some versions, the end of a regenerated answer is not reported: it has ended after this silence. */
const quietMs = 1_500;
/** An interrupt may be lost, so it is repeated while the turn continues. */
const interruptAgainMs = [500, 2_000];
/** If a server ignores interrupts for this long, only closing the connection ends its work. */
const ignoredMs = 5_000;

const options: readonly PermissionOption[] = [
  { optionId: 'approve', name: 'Approve', kind: 'allow_once' },
  { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
];

/** The server sends this for a call that is not run right now, even if it was approved. */
const notApproved = /^Tool '.*' execution was not approved by user$/;
/** Another turn is in progress, so the answer arrives by itself. */
const stillRuns = /running|in progress|busy|already/i;

export interface TurnParts {
  readonly sessionId: string;
  readonly line: AgentCliLine;
  readonly tools: ToolCards;
  readonly services: Pick<HostServices, 'requestUser'>;
  readonly clock: Clock;
  readonly redactor: Redactor;
  readonly emit: (event: SessionEvent) => void;
  readonly send: SendOptions;
}

type Waiting =
  /** For anything. */
  | 'answer'
  /** For a decision of the user, for which the server waits too. */
  | 'decision'
  /** For the effect of an approved call. */
  | 'approved'
  /** For the end of a regenerated answer, which may not be reported. */
  | 'regenerated';

/** One turn on the wire, from its prompt to whatever ends it. */
export class AgentCliTurn {
  readonly #parts: TurnParts;
  readonly #over = new AbortController();
  readonly #ids = new Set<string>();
  readonly #result: Promise<PromptResult>;
  #settle: { readonly resolve: (result: PromptResult) => void; readonly reject: (error: HostError) => void } | undefined;
  /** The id of the prompt, under which decisions are sent. */
  #id = '';
  #waiting: Waiting = 'answer';
  /** The number of open decisions: the server may ask for another one before the first is made. */
  #decisions = 0;
  /** The request to generate again that followed the last decision. */
  #again: { readonly id: string; readonly wasSilent: boolean } | undefined;
  /** A call was approved and has had no effect yet. */
  #isApproved = false;
  #isCancelling = false;
  #refusedMoreTurns = false;
  #usage: TurnUsage | undefined;
  #timers: readonly NodeJS.Timeout[] = [];
  #pause: NodeJS.Timeout | undefined;

  constructor(parts: TurnParts) {
    this.#parts = parts;
    this.#result = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
  }

  /** @throws HostError `request_failed`, `agent_exited`, `disposed` */
  run(input: Input): Promise<PromptResult> {
    if (input === 'Regenerate') this.#waiting = 'regenerated';
    this.#id = this.#send(input);
    return this.#result;
  }

  cancel(): void {
    if (this.#isCancelling) return;
    this.#isCancelling = true;
    clearTimeout(this.#pause);
    // Closes the requests to the user; the server gets those answers first.
    this.#over.abort();
    if (this.#decisions === 0) this.#interrupt();
  }

  fail(error: HostError): void {
    const isLost = error.code === 'agent_exited' || error.code === 'session_unknown';
    this.#end(() => this.#settle?.reject(error), isLost ? error : undefined);
  }

  #receive(frame: Frame): void {
    if (this.#settle === undefined) return;
    clearTimeout(this.#pause);
    this.#usage = frame.usage ?? this.#usage;
    if (frame.error !== undefined) return this.#failed(frame.error, frame.id);
    if (this.#again !== undefined && frame.parts.some(({ type }) => type === 'piece' || type === 'call' || type === 'result'))
      // Under the id of the prompt: the server was running the call, and drops the request to generate again.
      this.#waiting = frame.id === this.#again.id ? 'regenerated' : 'answer';
    const isOver = frame.parts.map((part) => this.#part(part)).includes(true);
    if (this.#settle === undefined) return;
    if (isOver) this.#ended('end_turn');
    else if (this.#waiting === 'regenerated' && frame.parts.some(({ type }) => type === 'piece'))
      this.#pause = setTimeout(() => this.#ended('end_turn'), quietMs);
  }

  /** @returns whether the part ends the turn */
  #part(part: Part): boolean {
    const { tools } = this.#parts;
    switch (part.type) {
      case 'piece':
        this.#say(part.text);
        this.#goesOn();
        return false;
      case 'text':
        if ((this.#isApproved || this.#again !== undefined) && notApproved.test(part.text)) {
          if (this.#isApproved && this.#decisions === 0) this.#regenerate(false);
          return false;
        }
        this.#say(part.text);
        return true;
      case 'complete':
        this.#usage = part.usage ?? this.#usage;
        if (part.interrupted) this.#isCancelling = true;
        return true;
      case 'call':
        tools.call(part.name, part.args);
        this.#goesOn();
        return false;
      case 'result':
        tools.result(part);
        return false;
      case 'confirm_call':
        void this.#confirmCall(part);
        return false;
      case 'confirm_turns':
        void this.#confirmTurns(part);
        return false;
      case 'unknown':
        return false;
    }
  }

  async #confirmCall({ name, args, description }: Extract<Part, { type: 'confirm_call' }>): Promise<void> {
    const { sessionId, services, tools } = this.#parts;
    const subject = tools.ask(name, args, description);
    const answer = await this.#decision(services.requestUser({ kind: 'permission', sessionId, subject, options }, this.#over.signal));
    if (this.#settle === undefined) return;
    const approved = selectedOption(answer) === 'approve';
    if (approved) tools.allowed(subject.toolCallId);
    else tools.refused(subject.toolCallId);
    this.#isApproved ||= approved;
    this.#send({ ToolConfirmationResponse: { name, arguments: args, approved } }, this.#id);
    this.#decided();
  }

  async #confirmTurns({ current, max, reason }: Extract<Part, { type: 'confirm_turns' }>): Promise<void> {
    const { sessionId, services } = this.#parts;
    const title = reason ?? `${current} / ${max}`;
    const answer = await this.#decision(services.requestUser({ kind: 'confirm', sessionId, title }, this.#over.signal));
    if (this.#settle === undefined) return;
    const confirmed = answer.type === 'accept';
    this.#refusedMoreTurns = !confirmed;
    this.#send({ TurnConfirmationResponse: { confirmed } }, this.#id);
    this.#decided();
  }

  async #decision<T>(asked: Promise<T>): Promise<T> {
    this.#waiting = 'decision';
    this.#again = undefined;
    this.#decisions++;
    const answer = await asked;
    this.#decisions--;
    return answer;
  }

  /** Call this after the server got a decision. Once no other decision is open, the turn waits for the effect. */
  #decided(): void {
    if (this.#decisions > 0) return;
    this.#waiting = this.#isApproved ? 'approved' : 'answer';
    if (this.#isCancelling) this.#interrupt();
    else if (this.#isApproved) this.#pause = setTimeout(() => this.#regenerate(true), continueAfterMs);
  }

  /** Call this when the approved call had an effect. */
  #goesOn(): void {
    this.#isApproved = false;
    if (this.#waiting === 'approved') this.#waiting = 'answer';
  }

  /** @param wasSilent the server did not say that the approved call does not run yet */
  #regenerate(wasSilent: boolean): void {
    this.#isApproved = false;
    this.#waiting = 'regenerated';
    this.#again = { id: this.#send('Regenerate'), wasSilent };
  }

  #interrupt(): void {
    const { line } = this.#parts;
    const send = (): void => {
      const id = line.send('Interrupt', {
        receive: ({ error }) => {
          // There is nothing to interrupt, because the work has ended or never began.
          if (error !== undefined) this.#ended('cancelled');
          else this.#pause = setTimeout(() => this.#ended('cancelled'), quietMs);
        },
        fail: () => {},
      });
      this.#ids.add(id);
    };
    send();
    // The turn was interrupted before, and the server asked for another decision, so the timers continue.
    if (this.#timers.length > 0) return;
    const after = (delayMs: number, act: () => void): NodeJS.Timeout => setTimeout(act, delayMs).unref();
    this.#timers = [...interruptAgainMs.map((delayMs) => after(delayMs, send)), after(ignoredMs, () => this.#giveUp())];
  }

  /** Ends the turn for the user, as requested. The session is lost. */
  #giveUp(): void {
    this.#ended('cancelled');
    this.#parts.line.giveUp(new HostError('agent_exited', { reason: 'stop_ignored' }));
  }

  #failed({ message, tool }: ServerError, id: string): void {
    const { tools, redactor } = this.#parts;
    // Providers quote the key that they reject.
    const detail = redactor.text(message);
    if (tool !== undefined) tools.failed(tool.name, tool.error);
    if (this.#isCancelling) return this.#ended('cancelled');
    if (!this.#mayStillRun(message, id)) return this.fail(new HostError('request_failed', { detail }));
    if (this.#waiting === 'regenerated' && !stillRuns.test(message)) {
      const { emit, clock } = this.#parts;
      // The server may not be running anything, so the user needs its reason to decide how long to wait.
      emit({ type: 'host_notice', at: clock.now(), severity: 'warning', code: 'continue_refused', params: { detail } });
    }
    this.#waiting = 'answer';
  }

  /** Whether the server may have refused to generate again because it is running the approved call. */
  #mayStillRun(message: string, id: string): boolean {
    if (this.#again === undefined) return false;
    if (this.#waiting === 'regenerated' && stillRuns.test(message)) return true;
    return id === this.#again.id && (this.#again.wasSilent || this.#waiting === 'answer');
  }

  #ended(stopReason: StopReason): void {
    const usage = this.#usage;
    const reason = this.#isCancelling ? 'cancelled' : this.#refusedMoreTurns ? 'max_turn_requests' : stopReason;
    this.#end(() => this.#settle?.resolve(usage === undefined ? { stopReason: reason } : { stopReason: reason, usage }));
  }

  /** @param lost why requests to the user stay unanswered, if the connection is lost */
  #end(tell: () => void, lost?: HostError): void {
    if (this.#settle === undefined) return;
    clearTimeout(this.#pause);
    for (const timer of this.#timers) clearTimeout(timer);
    for (const id of this.#ids) this.#parts.line.forget(id);
    this.#over.abort(lost);
    this.#parts.tools.end(this.#isCancelling);
    tell();
    this.#settle = undefined;
  }

  #send(input: Input, id?: string): string {
    const { line, send } = this.#parts;
    const sent = line.send(input, { receive: (frame) => this.#receive(frame), fail: (error) => this.fail(error) }, send, id);
    this.#ids.add(sent);
    return sent;
  }

  #say(text: string): void {
    const { emit, clock } = this.#parts;
    if (text !== '') emit({ type: 'message', at: clock.now(), role: 'agent', content: { type: 'text', text } });
  }
}
