// Sends the request in the prompt, which is JSON of [method, params] followed by notifications, and reports the answer.
// `requestOf` in the params becomes the id of that request of the host. `announced` is a tool call that it reports first.
// `completes` are ids of pages that it reports as completed after the answer, before it waits for a cancel.
// `wait`: a turn that only a cancel ends. `die`: it exits.
import { request, say, send, serve, update } from './wire.mjs';

const waiting = [];
/** Ids of the host's requests, by what they began: a session (`new`), or the turn of one. */
const requestIds = {};
let sessions = 0;

serve({
  'session/cancel': () => waiting.splice(0).forEach((stop) => stop()),
  'session/new': (_, id) => {
    requestIds.new = id;
    return { sessionId: `s${++sessions}` };
  },
  'session/prompt': async ({ sessionId, prompt }, id) => {
    requestIds[sessionId] = id;
    if (prompt[0].text === 'die') process.exit(1);
    if (prompt[0].text === 'wait') {
      say(sessionId, 'waiting');
      await new Promise((resolve) => waiting.push(resolve));
      return { stopReason: 'cancelled' };
    }
    const [method, { requestOf, announced, completes, ...params }, ...after] = JSON.parse(prompt[0].text);
    if (announced !== undefined) update(sessionId, { sessionUpdate: 'tool_call', ...announced });
    if (requestOf !== undefined) params.requestId = requestIds[requestOf];
    const asked = request(method, { sessionId, ...params }).catch(({ code }) => ({ code }));
    for (const [name, notified] of after) send({ method: name, params: notified });
    say(sessionId, JSON.stringify(await asked));
    for (const elicitationId of completes ?? []) send({ method: 'elicitation/complete', params: { elicitationId } });
    if (completes !== undefined) await new Promise((resolve) => waiting.push(resolve));
    return { stopReason: 'end_turn' };
  },
});
