import type { SessionEvent } from '../core/index.js';

type Plan = Extract<SessionEvent, { type: 'plan' }>;
type Message = Extract<SessionEvent, { type: 'message' }>;

/**
 * The plans of an agent for a client that knows only the one plan of ACP without an id, because the SDK drops what a client declares about
 * others: steps are that plan, and Markdown is text of the agent.
 */
export class ServedPlans {
  /** The plan whose steps the client shows. */
  #steps: Pick<Plan, 'planId'> | undefined;
  /** The plan that is the last text of the agent. */
  #text: { readonly planId: string; readonly markdown: string } | undefined;

  /** Returns what the client is told instead of an event. */
  told(event: SessionEvent): readonly SessionEvent[] {
    if (event.type === 'message' && event.role === 'agent' && this.#text !== undefined) {
      const { planId } = this.#text;
      this.#text = undefined;
      return [textOf(planId, event.at, '\n\n'), event];
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
    return more === '' ? [] : [textOf(planId, at, more)];
  }
}

function textOf(planId: string, at: number, text: string): Message {
  return { type: 'message', at, role: 'agent', messageId: `plan-${planId}`, content: { type: 'text', text } };
}
