/** Acts like the client of a recording, so that a replayed agent gets the requests that it expects. */
import * as z from 'zod/mini';
import {
  type AgentHost,
  type ContentBlock,
  MODE_OPTION_ID,
  type Session,
  selectOption,
  splitChoices,
  type UserAnswer,
  type UserRequest,
} from '../../src/core/index.js';
import { nextRequest, within } from '../real/deadline.js';
import type { RecordedFrame } from './recording.js';

const promptParams = z.looseObject({ prompt: z.array(z.custom<ContentBlock>((block) => typeof block === 'object' && block !== null)) });
const answerResult = z.union([
  z.looseObject({ outcome: z.looseObject({ outcome: z.literal('selected'), optionId: z.string() }) }),
  z.looseObject({ outcome: z.literal('answered'), text: z.string() }),
]);

/** Resolves after everything recorded has happened. @returns the sessions in the order in which they were opened */
export async function driveHost(host: AgentHost, frames: readonly RecordedFrame[]): Promise<readonly Session[]> {
  const received = countReceived(host);
  const sessions: Session[] = [];
  const turns: Promise<unknown>[] = [];
  let heard = 0;
  try {
    for (const { dir, frame } of frames) {
      if (dir === 'in') heard++;
      // Like the recorded client, this waits for what the client had received, because a cancel could otherwise arrive too early.
      else await received.atLeast(heard).then(() => act(host, frame, sessions, turns));
    }
    await within(Promise.all(turns), 'end of all turns');
    return sessions;
  } finally {
    received.dispose();
  }
}

async function act(host: AgentHost, frame: RecordedFrame['frame'], sessions: Session[], turns: Promise<unknown>[]): Promise<void> {
  const session = sessions.find(({ id }) => id === frame.params?.sessionId) ?? sessions.at(-1);
  switch (frame.method) {
    case 'initialize':
      await within(host.start(), 'handshake');
      return;
    case 'session/new':
      sessions.push(await within(host.newSession(), 'new session'));
      return;
    case 'session/load':
      sessions.push(await within(host.loadSession(frame.params?.sessionId ?? ''), 'loaded session'));
      return;
    case 'session/prompt':
      await within(idle(opened(session)), 'end of the turn before');
      turns.push(opened(session).prompt(promptParams.parse(frame.params).prompt));
      return;
    case 'session/cancel':
      opened(session).cancel();
      return;
    case 'session/set_mode':
      await within(
        opened(session).setOption(MODE_OPTION_ID, z.looseObject({ modeId: z.string() }).parse(frame.params).modeId),
        'answer to set_mode',
      );
      return;
    case undefined:
      return answer(opened(session), frame.result);
    default:
      throw new Error(`The recording does what no host does: ${frame.method}`);
  }
}

/** Waits for the end of the turn: the recorded client sent its next prompt after the answer, when the host may still report that end. */
function idle(session: Session): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (session.state.turn.type !== 'idle') return;
      subscription.dispose();
      resolve();
    };
    const subscription = session.onBatch(look);
    look();
  });
}

function opened(session: Session | undefined): Session {
  if (session === undefined) throw new Error('The recording uses a session before it opens one.');
  return session;
}

/** Replays an answer of the user. While a turn is being canceled, the host answers by itself, and the replayed answer is not needed. */
async function answer(session: Session, result: unknown): Promise<void> {
  if (session.state.turn.type === 'cancelling') return;
  const request = await nextRequest(session);
  const given = answerOf(request, result);
  if (!session.answer(request.id, given)) throw new Error(`The host did not take the recorded answer ${JSON.stringify(given)}`);
}

function answerOf(request: UserRequest, result: unknown): UserAnswer {
  const parsed = answerResult.safeParse(result);
  if (!parsed.success) return { type: 'cancel' };
  const { outcome } = parsed.data;
  if (typeof outcome === 'string') {
    const { text } = z.looseObject({ text: z.string() }).parse(parsed.data);
    const field = request.kind === 'form' ? request.fields[0] : undefined;
    if (field?.type !== 'multiselect') return { type: 'accept', values: { answer: text } };
    const chosen = splitChoices(
      field.choices.map(({ value }) => value),
      text,
    );
    return { type: 'accept', values: { answer: chosen ?? [text] } };
  }
  return selectOption(outcome.optionId);
}

interface ReceivedCount {
  atLeast(count: number): Promise<void>;
  dispose(): void;
}

function countReceived(host: AgentHost): ReceivedCount {
  let count = 0;
  let awaited: { readonly count: number; readonly resolve: () => void } | undefined;
  const subscription = host.onTraffic((entry) => {
    if (entry.kind === 'message' && entry.direction === 'received' && ++count === awaited?.count) awaited.resolve();
  });
  return {
    atLeast(wanted) {
      if (count >= wanted) return Promise.resolve();
      return within(new Promise((resolve) => (awaited = { count: wanted, resolve })), `message ${wanted}`);
    },
    dispose: () => subscription.dispose(),
  };
}
