// Sends millions of words in a turn, as fast as they are read. If nothing is read for a second, or all are
// said, it saves the number of words in a file.
import { writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { serve } from './wire.mjs';

const count = Number(process.env.FLOOD_COUNT ?? 4_000_000);
const stuckFile = process.env.FLOOD_STUCK;
const doneFile = process.env.FLOOD_DONE;
const linesAtOnce = 200;
const patienceMs = 1_000;
let cancelled = false;

async function drained(said) {
  const timer = setTimeout(() => stuckFile && writeFileSync(stuckFile, `${said}\n`), patienceMs);
  await once(process.stdout, 'drain');
  clearTimeout(timer);
}

serve({
  'session/cancel': () => {
    cancelled = true;
  },
  'session/prompt': async ({ sessionId }) => {
    for (let said = 0; said < count && !cancelled; ) {
      let lines = '';
      for (let line = 0; line < linesAtOnce && said < count; line++) {
        const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `word ${said++} ` } };
        lines += `${JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId, update } })}\n`;
      }
      if (!process.stdout.write(lines)) await drained(said);
    }
    if (doneFile) writeFileSync(doneFile, `${count}\n`);
    return { stopReason: cancelled ? 'cancelled' : 'end_turn' };
  },
});
