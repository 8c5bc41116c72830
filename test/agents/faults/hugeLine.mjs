// Sends its answer or a notification in a line that is longer than any limit.
import { misbehave, send, silent } from './faultBase.mjs';

const tooLong = { _meta: { padding: 'x'.repeat(65 * 1024 * 1024) } };

misbehave(({ answer }) => {
  if (answer === undefined) return send({ method: 'session/update', params: tooLong });
  answer(tooLong);
  return silent;
});
