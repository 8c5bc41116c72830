// Reports what it uses of its context, and compacts it: the prompt says in which order, such as "80 begin completed 20".
import { serve, update } from './wire.mjs';

serve({
  'session/prompt': ({ sessionId, prompt }) => {
    for (const step of prompt[0].text.split(' ')) {
      const compactionId = 'c';
      const status = step === 'begin' ? 'in_progress' : step;
      const content = { type: 'text', text: 'All' };
      const compaction =
        step === 'text'
          ? { sessionUpdate: 'compaction_summary_chunk', compactionId, content }
          : { sessionUpdate: 'compaction_update', compactionId, status };
      update(sessionId, /^\d+$/.test(step) ? { sessionUpdate: 'usage_update', used: Number(step), size: 100 } : compaction);
    }
    return { stopReason: 'end_turn' };
  },
});
