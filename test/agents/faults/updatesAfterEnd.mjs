// Sends an update after its answer.
import { misbehave, say, silent } from './faultBase.mjs';

misbehave(({ answer, sessionId }) => {
  answer?.();
  say(sessionId, 'late');
  return silent;
});
