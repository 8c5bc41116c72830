/** How a prompt reaches the running turn of an agent that takes it in another way than as a prompt with a mark. */
import type { Clock } from '../../base/clock.js';
import { HostError } from '../../base/errors.js';
import type { SessionEvent } from '../../session/event.js';
import type { ContentBlock, Meta } from '../../session/model.js';
import type { MethodSpec } from '../../rpc/peer.js';
import type { AgentQueue } from '../agentBackend.js';
import { steering, steeringMeta } from './schema/additions.js';

/** `by_method`: the host calls a method of its own; `when_asked`: the agent asks for such prompts. */
export type SteeringKind = 'by_method' | 'when_asked';

export interface Steer {
  /** The host's own. */
  readonly id: string;
  readonly content: readonly ContentBlock[];
  /** The content in a form that the agent accepts. */
  readonly prompt: ContentBlock[];
  readonly meta: Meta | undefined;
}

interface SteeredTurn {
  /** Aborted when the turn is canceled or over. */
  readonly over: AbortController;
  readonly ended: AbortController;
}

export interface Steering {
  /**
   * Resolves when the agent has the prompt, or when the user has removed it.
   * @throws HostError `unsupported` if the agent did not take the prompt
   */
  send(steer: Steer, turn: SteeredTurn): Promise<void>;
  /** Call this when the agent has ended its turn, and asks for no more prompts in it. Absent if it does not ask. */
  readonly end?: () => void;
  /** Gives the prompts that wait to the agent, oldest first. Absent if none waits in the host. @param most how many */
  readonly take?: (most: number) => readonly Steer[];
  /** Of the prompts that wait. */
  readonly queue?: AgentQueue;
}

interface SteeredSession {
  readonly id: string;
  emit(event: SessionEvent): void;
}

interface Calls {
  request<P, R>(spec: MethodSpec<P, R>, params: P, options: { readonly signal?: AbortSignal }): Promise<R>;
}

interface SteeringParts {
  readonly steers: SteeringKind | undefined;
  readonly calls: Calls;
  readonly clock: Clock;
}

export function createSteering(session: SteeredSession, { steers, calls, clock }: SteeringParts): Steering | undefined {
  // These agents don't say it back.
  const onTaken = ({ id, content }: Steer): void => {
    for (const block of content) session.emit({ type: 'message', at: clock.now(), role: 'user', promptId: id, content: block });
  };
  if (steers === 'by_method') return steerByMethod(session.id, calls, onTaken);
  if (steers === undefined) return undefined;
  return steerWhenAsked(
    ({ id, content }) => session.emit({ type: 'queued', at: clock.now(), prompt: { id, content, at: clock.now() } }),
    ({ id }) => session.emit({ type: 'unqueued', at: clock.now(), promptId: id }),
    onTaken,
  );
}

type OnSteer = (steer: Steer) => void;

export const notTaken = (): HostError => new HostError('unsupported', { reason: 'delivery', delivery: 'steer' });

function steerByMethod(sessionId: string, calls: Calls, onTaken: OnSteer): Steering {
  return {
    send: async (steer, { ended }) => {
      const params = { sessionId, prompt: steer.prompt, _meta: { ...steer.meta, ...steeringMeta } };
      const { isRefused } = await calls.request(steering, params, { signal: ended.signal });
      if (isRefused) throw notTaken();
      onTaken(steer);
    },
  };
}

function steerWhenAsked(onQueued: OnSteer, onUnqueued: OnSteer, onTaken: OnSteer): Steering {
  /** By the ids of the prompts, oldest first. */
  const waiting = new Map<string, { readonly steer: Steer; readonly taken: () => void; readonly refuse: (error: HostError) => void }>();
  const remove = (id: string): Steer | undefined => {
    const found = waiting.get(id);
    if (found === undefined) return undefined;
    waiting.delete(id);
    onUnqueued(found.steer);
    found.taken();
    return found.steer;
  };
  const refuse = (id: string): void => {
    waiting.get(id)?.refuse(notTaken());
    remove(id);
  };
  return {
    send: async (steer, { over: { signal: over } }) => {
      if (over.aborted) throw notTaken();
      onQueued(steer);
      await new Promise<void>((taken, reject) => {
        waiting.set(steer.id, { steer, taken, refuse: reject });
        const onOver = (): void => {
          if (!(over.reason instanceof HostError)) return refuse(steer.id);
          // The agent is lost: the host takes what is in the queue.
          if (waiting.delete(steer.id)) reject(over.reason);
        };
        over.addEventListener('abort', onOver, { once: true });
      });
    },
    end: () => {
      for (const id of [...waiting.keys()]) refuse(id);
    },
    take: (most) =>
      [...waiting.keys()].slice(0, most).flatMap((id) => {
        const steer = remove(id);
        if (steer !== undefined) onTaken(steer);
        return steer ?? [];
      }),
    queue: {
      remove: async (promptId) => {
        remove(promptId);
        return [];
      },
    },
  };
}
