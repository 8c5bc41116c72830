/** A journal of another process on a system that reports no changes: network folders, and machines that have run out of watches. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { it } from 'node:test';
import { nullLogger } from '../../../src/core/base/logger.js';
import type { SessionState } from '../../../src/core/session/model.js';
import { journalFolder } from '../../../src/core/store/stateFolder.js';
import { followJournal } from '../../../src/core/store/followJournal.js';
import { openStoreLab, place } from './storeLab.js';

it('a journal is followed even if the system cannot watch its folder', async (t) => {
  t.mock.method(fs, 'watch', () => {
    throw Object.assign(new Error('System limit for number of file watchers reached'), { code: 'ENOSPC' });
  });
  syncBuiltinESMExports();
  const lab = await openStoreLab(t);
  const [writer, reader] = [lab.open(), lab.open()];
  const journal = writer.journals.begin({ sessionId: 's1', agentId: 'agent', cwd: lab.workspace, createdAt: 5 });
  journal.append([{ type: 'turn_started', at: 5, turnId: 't1', content: [{ type: 'text', text: 'go' }] }]);
  await journal.flush();
  let last: SessionState | undefined;
  let look = (): void => {};
  const follow = followJournal({
    directory: journalFolder(lab.state),
    journals: reader.journals,
    place: place('s1'),
    log: nullLogger,
    onState(state) {
      last = state;
      look();
    },
  });
  const alive = setInterval(() => {}, 60_000);
  t.after(() => {
    clearInterval(alive);
    follow.dispose();
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  const seen = (fits: (state: SessionState) => boolean): Promise<void> =>
    new Promise((resolve) => {
      look = () => {
        if (last !== undefined && fits(last)) resolve();
      };
      look();
    });
  await seen(({ turn }) => turn.type === 'running');
  journal.append([{ type: 'turn_ended', at: 6, turnId: 't1', outcome: { type: 'ended', stopReason: 'end_turn', silent: false } }]);
  await journal.flush();
  await seen(({ turn }) => turn.type === 'idle');
  await journal.close();
});
