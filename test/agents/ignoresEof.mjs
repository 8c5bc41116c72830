// Answers every prompt, and keeps running at the end of stdin. With BUSY_MS, it works for that time, saves a file and exits.
import { appendFileSync } from 'node:fs';
import { say, serve } from './wire.mjs';

const busyMs = Number(process.env.BUSY_MS ?? 0);

serve(
  {
    'session/prompt': ({ sessionId }) => {
      say(sessionId, `pid ${process.pid}`);
      return { stopReason: 'end_turn' };
    },
  },
  () => {
    const until = Date.now() + busyMs;
    const work = setInterval(() => {
      if (busyMs === 0) return;
      const rest = Date.now() + 50;
      while (Date.now() < rest);
      if (rest < until) return;
      clearInterval(work);
      appendFileSync('saved.txt', 'saved\n');
      process.exit(0);
    }, 50);
  },
);
