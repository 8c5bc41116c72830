// Gives its answer and then speaks on.
import { misbehave, say, silent } from './faultBase.mjs';

misbehave(({ answer, sessionId }) => {
  answer?.();
  say(sessionId, 'late');
  return silent;
});
