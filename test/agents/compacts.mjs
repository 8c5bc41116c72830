// Reports what it uses of its context, and compacts it: the prompt says in which order, such as "80 begin completed 20".
import { serve, update } from './wire.mjs';

serve({
  'session/prompt': ({ sessionId, prompt }) => {
    for (const step of prompt[0].text.split(' ')) {
      const status = step === 'begin' ? 'in_progress' : step;
      const compaction = { sessionUpdate: 'compaction_update', compactionId: 'c', status };
      update(sessionId, /^\d+$/.test(step) ? { sessionUpdate: 'usage_update', used: Number(step), size: 100 } : compaction);
    }
    return { stopReason: 'end_turn' };
  },
});
