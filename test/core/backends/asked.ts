/** Lets an agent send one request of its choice, in the middle of a turn. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { UserAnswer } from '../../../src/core/session/userRequest.js';
import { type AskedUser, launch } from './launch.js';

export type Fields = Readonly<Record<string, unknown>>;

/** @param answer if absent, the agent must get an answer without a request to the user */
export async function asked(
  t: TestContext,
  method: string,
  params: Fields,
  answer?: (request: AskedUser) => unknown,
  ...after: readonly unknown[]
): Promise<{ readonly told: unknown; readonly cards: unknown }> {
  const agent = await launch(t, 'elicits');
  await agent.start();
  const session = await agent.newSession();
  const turn = agent.prompt(session, JSON.stringify([method, params, ...after]));
  if (answer !== undefined) answer(await agent.nextRequest());
  await turn;
  const cards = agent
    .sessionEvents()
    .flatMap((event) => (event.type === 'tool' && event.patch.status !== undefined ? [event.patch.status] : []));
  return { told: JSON.parse(agent.text()), cards };
}

export const withAnswer =
  (answer: UserAnswer) =>
  (request: AskedUser): void =>
    assert.equal(request.answer(answer), true);
