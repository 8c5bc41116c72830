/** An agent that is lost or stopped while one of its sessions waits until it can be loaded. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { addKnownAgent } from '../../../src/core/agents/knownAgents.js';
import { HostError } from '../../../src/core/base/errors.js';
import type { AgentHost } from '../../../src/core/host/agentHost.js';
import type { AgentStatus, Session } from '../../../src/core/host/api.js';
import { hostOf, lines, resumedAfterRestart, temporaryFolder, text } from './launch.js';

function reached(host: AgentHost, holds: (status: AgentStatus) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const listening = host.onStatus((status) => {
      if (!holds(status)) return;
      listening.dispose();
      resolve();
    });
  });
}

const isWaiting = (status: AgentStatus): boolean => status.state === 'starting' && status.awaiting === 'next_minute';

interface Begun {
  readonly host: AgentHost;
  readonly session: Session;
  kill(): Promise<void>;
}

/** A session with one turn. */
async function begun(t: TestContext, now: () => number): Promise<Begun> {
  addKnownAgent({ id: 'loses', label: 'Loses', loadsFromNextMinute: true });
  t.mock.method(Date, 'now', now);
  const cwd = await temporaryFolder(t);
  const host = await hostOf(t, 'writesItsPid', { cwd, restart: { firstDelayMs: 20 } });
  const session = await host.newSession();
  await session.prompt(text('first'));
  return { host, session, kill: async () => void process.kill(Number(await readFile(join(cwd, 'pid'), 'utf8')), 'SIGKILL') };
}

const minute = Math.floor(Date.now() / 60_000) * 60_000;

describe('a session that waits until it can be loaded', () => {
  it('when the agent is lost meanwhile, the next one loads it', async (t) => {
    // It waits for 3 seconds.
    const { host, session, kill } = await begun(t, () => minute + 58_000);
    const waiting = reached(host, isWaiting);
    const lost = assert.rejects(resumedAfterRestart(host, session), { code: 'agent_exited' });
    await kill();
    await waiting;
    const resumed = resumedAfterRestart(host, session);
    await kill();
    await lost;
    const again = await resumed;
    await again.prompt(text('second'));
    assert.equal(lines(again.state).at(-2), 'agent: answer to second');
  });

  it('when the agent is stopped meanwhile, the wait ends, and the next attempt starts it', async (t) => {
    let now = minute + 1_000;
    const { host, session } = await begun(t, () => now);
    await host.stop({ force: true });
    const waiting = reached(host, isWaiting);
    const loading = assert.rejects(
      host.loadSession(session.id, session.state),
      (error) => error instanceof HostError && error.code === 'agent_exited',
    );
    await waiting;
    await host.stop({ force: true });
    await loading;
    now += 60_000;
    assert.equal((await host.loadSession(session.id, session.state)).live, true);
  });
});
