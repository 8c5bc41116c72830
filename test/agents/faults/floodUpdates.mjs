// Sends twenty thousand updates at once.
import { misbehave, say } from './faultBase.mjs';

misbehave(({ sessionId }) => {
  for (let count = 0; count < 20_000; count++) say(sessionId, 'x');
});
