/** The sessions of piStandIn.mjs: one is current, each has a file, and a session may begin with the messages of another one. */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** @param firstModel the model of every new session @param earlier the messages of the session `earlier`, which exists from the start */
export function openSessions({ folder, firstModel, earlier }) {
  let current;
  function begin(id = randomUUID(), messages = []) {
    const file = path.join(folder, `2026-01-01T00-00-00_${id}.jsonl`);
    const modes = { thinking: 'medium', steering: 'one-at-a-time', followUp: 'one-at-a-time', interrupt: 'wait' };
    current = { id, file, messages, model: firstModel, name: undefined, todos: [], autoCompaction: true, ...modes };
  }
  function save() {
    mkdirSync(folder, { recursive: true });
    writeFileSync(current.file, current.messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
  }
  const userMessages = () => current.messages.flatMap(({ role, content }, index) => (role === 'user' ? [{ index, said: content }] : []));
  function beginFrom(messages) {
    const { id } = current;
    begin(undefined, messages);
    current.parent = id;
    save();
  }
  begin('earlier', earlier);
  if (!existsSync(current.file)) save();
  begin();
  return {
    get current() {
      return current;
    },
    save,
    begin: () => (begin(), { cancelled: false }),
    switchTo({ sessionPath }) {
      const id = path.basename(sessionPath, '.jsonl').split('_')[1];
      const lines = readFileSync(sessionPath, 'utf8').split('\n').filter(Boolean);
      begin(
        id,
        lines.map((line) => JSON.parse(line)),
      );
      return { cancelled: false };
    },
    forkPoints: () => ({ messages: userMessages().map(({ index, said }) => ({ entryId: `e${index}`, text: said[0].text ?? said })) }),
    forkAt({ entryId }) {
      const point = userMessages().find(({ index }) => entryId === `e${index}`);
      if (point === undefined) throw new Error('Invalid entry ID for forking');
      beginFrom(current.messages.slice(0, point.index));
      return { text: point.said[0].text ?? point.said, cancelled: false };
    },
    clone: () => (beginFrom(current.messages), { cancelled: false }),
  };
}
