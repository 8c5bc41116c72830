/** The end of a connection, intended or not: everything settles, and no process is left running. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BackendSession, PromptResult } from '../../src/core/backends/agentBackend.js';
import { identifyProcess, stillRunning } from '../../src/core/node/processTree.js';
import { forcedSteps, gracefulSteps } from '../../src/core/process/stopProcess.js';
import { within } from '../real/deadline.js';
import { type Open, type Peer, pidsIn } from './peer.js';
import { type Collected, collect, rejects, type Seam, type Told } from './seam.js';

export function testEnd({ prompts, option, isServer, endsTurns, sessionsApart = false }: Peer, open: Open): void {
  const { echo, hang, mute, die, deaf, family, ask } = prompts;
  /** Checks that every call fails immediately with the same code. */
  const isOver = async (seam: Seam, session: BackendSession): Promise<void> => {
    const unsent = await rejects(session.prompt('t9', [{ type: 'text', text: 'more' }], 'turn'), 'agent_exited');
    assert.equal(unsent.params.reason, 'not_running', 'it was not sent, so it can be sent to the next process');
    if (option !== undefined) await rejects(session.setOption(option.id, option.value), 'agent_exited');
    await rejects(seam.open(), 'agent_exited');
    session.cancel();
  };

  /** Waits for the end of a turn whose connection is closed. Its outcome is unknown unless the agent reports it. */
  const endOf = async (turn: Promise<PromptResult>): Promise<void> => {
    if (endsTurns === true) assert.equal((await turn).stopReason, 'cancelled');
    else await rejects(turn, 'agent_exited');
  };

  /** Calls that wait for the same process in another session, and one that opens a third session. */
  const otherCalls = async (seam: Seam, silence: string, told: Collected<Told>): Promise<readonly Promise<unknown>[]> => {
    const other = await seam.open();
    const silent = rejects(other.prompt(silence), 'agent_exited');
    await other.told.until('word of the agent', () => other.words() !== '');
    const opening = rejects(seam.open(undefined, told), 'agent_exited');
    const setting = option === undefined ? [] : [rejects(other.session.setOption(option.id, option.value), 'agent_exited')];
    return [silent, opening, ...setting];
  };

  test('a closed connection reports its end once, and closing it again does nothing', async (t) => {
    const seam = await open(t);
    const turn = hang === undefined ? undefined : endOf(seam.prompt(hang));
    const [first, second] = await within(Promise.all([seam.backend.close(), seam.backend.close()]), 'end');
    await turn;
    assert.deepEqual([first?.requested, second?.requested], [true, true]);
    assert.deepEqual(
      seam.ends.all.map(({ error, exit }) => [error.code, exit?.requested]),
      [['agent_exited', true]],
    );
    await isOver(seam, seam.session);
    await within(seam.backend.close({ force: true }), 'end');
    assert.equal(seam.ends.all.length, 1);
  });

  if (die !== undefined) {
    test('if the agent crashes, its turn and all later calls reject, and its end is reported once', async (t) => {
      const seam = await open(t);
      await rejects(seam.prompt(die), 'agent_exited');
      // This also applies between the end of its output and the report of its exit.
      await isOver(seam, seam.session);
      const { error, exit } = await seam.ends.until('end', () => true);
      assert.deepEqual(
        [error.code, exit?.code, exit?.requested],
        isServer === true ? ['agent_exited', undefined, undefined] : ['agent_exited', 9, false],
      );
      await within(seam.backend.close(), 'end');
      assert.equal(seam.ends.all.length, 1);
    });
  }

  if (family !== undefined && ask !== undefined && mute !== undefined) {
    test('a loss of the connection settles every call and every request', async (t) => {
      const seam = await open(t);
      await within(seam.prompt(family), 'end');
      const [pid] = pidsIn(seam.words());
      const asking = rejects(seam.prompt(ask), 'agent_exited');
      await seam.asked.until('request', () => true);
      const told = collect<Told>();
      const rest = sessionsApart ? [] : await otherCalls(seam, mute, told);
      process.kill(pid, 'SIGKILL');
      await Promise.all([asking, ...rest]);
      assert.deepEqual(
        seam.closed.all.map(({ answer }) => answer),
        [{ type: 'cancel', why: 'agent_gone' }],
      );
      assert.deepEqual(told.all, []);
      const { exit } = await seam.ends.until('end', () => true);
      assert.equal(exit?.signal, 'SIGKILL');
    });
  }

  if (family !== undefined && ask !== undefined && echo !== undefined && sessionsApart) {
    test('a lost session does not affect others, and can be opened again', async (t) => {
      const seam = await open(t);
      await within(seam.prompt(family), 'end');
      const [pid] = pidsIn(seam.words());
      const asking = rejects(seam.prompt(ask), 'session_unknown');
      await seam.asked.until('request', () => true);
      const other = await seam.open();
      process.kill(pid, 'SIGKILL');
      assert.equal((await asking).params.reason, 'lost');
      assert.deepEqual(
        seam.closed.all.map(({ answer }) => answer),
        [{ type: 'cancel', why: 'agent_gone' }],
      );
      const { prompt, said } = echo('still here');
      await within(other.prompt(prompt), 'end');
      assert.equal(other.words(), said);
      assert.equal((await rejects(seam.prompt(prompt), 'session_unknown')).params.reason, 'refused');
      assert.deepEqual(seam.ends.all, []);
      const again = await seam.open({ method: 'load', sessionId: seam.session.id });
      await within(again.prompt(prompt), 'end');
      assert.equal(again.words(), said);
    });
  }

  if (family !== undefined) {
    test('no process of the agent or its children is left', async (t) => {
      const seam = await open(t);
      await within(seam.prompt(family), 'end');
      const pids = pidsIn(seam.words());
      const processes = (await Promise.all(pids.map(identifyProcess))).filter((one) => one !== undefined);
      assert.equal((await stillRunning(processes)).length, 2);
      await within(seam.backend.close(), 'end');
      assert.deepEqual(await stillRunning(processes), []);
    });
  }

  if (deaf !== undefined) {
    test('an agent that does not end in time is killed, and `force` skips the wait', async (t) => {
      const seam = await open(t);
      await within(seam.prompt(deaf), 'end');
      const began = performance.now();
      const graceful = seam.backend.close();
      const [exit, hurried] = await within(Promise.all([graceful, seam.backend.close({ force: true })]), 'end');
      assert.ok(
        performance.now() - began < gracefulSteps.graceMs,
        `as slow as without force, whose steps take ${JSON.stringify(forcedSteps)}`,
      );
      assert.deepEqual([exit?.signal, hurried?.signal, exit?.requested], ['SIGKILL', 'SIGKILL', true]);
      assert.equal(seam.ends.all.length, 1);
    });
  }
}
