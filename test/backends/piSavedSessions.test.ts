/** Reads Pi's saved sessions from files as its documentation describes them. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { PiSavedSessions } from '../../src/core/backends/pi/piSavedSessions.js';

const root = mkdtempSync(path.join(tmpdir(), 'acp-host-pi-saved-'));
after(() => rmSync(root, { recursive: true, force: true }));

const at = (minute: number): string => `2026-01-01T10:0${minute}:00.000Z`;
const header = (id: string, cwd: string): object => ({ type: 'session', version: 3, id, timestamp: at(0), cwd });
const said = (role: string, text: string, minute: number): object => ({
  type: 'message',
  timestamp: at(minute),
  message: { role, content: [{ type: 'text', text }] },
});

function save(folder: string, id: string, lines: readonly (object | string)[]): string {
  mkdirSync(path.join(root, folder), { recursive: true });
  const file = path.join(root, folder, `2026-01-01_${id}.jsonl`);
  writeFileSync(file, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
  utimesSync(file, 0, 0);
  return file;
}

test('saved sessions are listed with folder, name or first words, and time, and removed one by one', async () => {
  const first = save('--work--', 'aa', [header('aa', '/work'), said('user', 'Do it.\nNow.', 1), said('assistant', 'Done.', 2)]);
  const named = save('--work--', 'bb', [
    header('bb', '/work'),
    { type: 'session_info', timestamp: at(1), name: 'Old name' },
    said('user', 'Hello', 3),
    { type: 'session_info', timestamp: at(4), name: 'New name' },
    'cut off {',
  ]);
  const other = save('--elsewhere--', 'cc', [header('cc', '/elsewhere')]);
  save('--work--', 'dd', ['no session']);
  save('notes', 'ee', [header('ee', '/work')]);
  const saved = new PiSavedSessions(path.join(root, '--work--'));
  assert.deepEqual((await saved.list({ cwd: '/work' })).sessions, [
    { sessionId: named, cwd: '/work', title: 'New name', updatedAt: Date.parse(at(3)) },
    { sessionId: first, cwd: '/work', title: 'Do it.', updatedAt: Date.parse(at(2)) },
  ]);
  assert.deepEqual((await saved.list()).sessions.at(-1), { sessionId: other, cwd: '/elsewhere', updatedAt: 0 });
  assert.equal(await saved.find('cc'), other);
  await saved.remove('bb');
  await saved.remove(first);
  await saved.remove(first);
  // This file is not a session of the agent.
  await saved.remove('dd');
  assert.deepEqual(
    (await saved.list()).sessions.map(({ sessionId }) => sessionId),
    [other],
  );
  assert.ok(existsSync(path.join(root, '--work--', '2026-01-01_dd.jsonl')));
  const [alone] = (await new PiSavedSessions(path.join(root, 'notes')).list()).sessions;
  assert.equal(alone?.sessionId, path.join(root, 'notes', '2026-01-01_ee.jsonl'));
});
