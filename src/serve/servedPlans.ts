/** Several plans, and plans in Markdown, for clients that know neither. */
import type { SessionEvent } from '../core/index.js';

type Plan = Extract<SessionEvent, { type: 'plan' }>;
type Message = Extract<SessionEvent, { type: 'message' }>;

/** What a session tells of its plans. */
export class ServedPlans {
  /** By the sub-agent whose plans they are. */
  readonly #plans = new Map<string | undefined, UnnamedPlans>();

  /**
   * @param named whether the client knows plans by their id
   * @param from undefined: the agent itself
   * @returns what the client is told instead of an event
   */
  told(event: SessionEvent, named: boolean, from: string | undefined): readonly SessionEvent[] {
    if (named) return [event];
    const plans = this.#plans.get(from) ?? new UnnamedPlans();
    this.#plans.set(from, plans);
    return plans.told(event);
  }
}

/** The plans of an agent for a client that knows only the one plan of ACP without an id: steps are that plan, and Markdown is text of the agent. */
class UnnamedPlans {
  /** The plan whose steps the client shows. */
  #steps: Pick<Plan, 'planId'> | undefined;
  /** The plan that is the last text of the agent. */
  #text: { readonly planId: string; readonly markdown: string } | undefined;

  told(event: SessionEvent): readonly SessionEvent[] {
    if (event.type === 'message' && event.role === 'agent' && this.#text !== undefined) {
      const { planId } = this.#text;
      this.#text = undefined;
      return [planMessage(planId, event.at, '\n\n'), event];
    }
    if (event.type !== 'plan') return [event];
    const { planId, text, ...plan } = event;
    if (text !== undefined && planId !== undefined) return this.#grow(planId, text.markdown, event.at);
    if (plan.entries.length === 0 && this.#steps?.planId !== planId) return [];
    this.#steps = plan.entries.length === 0 ? undefined : event;
    return [plan];
  }

  /** An agent that writes a plan reports all of it again and again. */
  #grow(planId: string, markdown: string, at: number): readonly SessionEvent[] {
    const before = this.#text?.planId === planId && markdown.startsWith(this.#text.markdown) ? this.#text.markdown : undefined;
    this.#text = { planId, markdown };
    const more = before === undefined ? `\n\n${markdown}` : markdown.slice(before.length);
    return more === '' ? [] : [planMessage(planId, at, more)];
  }
}

function planMessage(planId: string, at: number, text: string): Message {
  return { type: 'message', at, role: 'agent', messageId: `plan-${planId}`, content: { type: 'text', text } };
}
