// Says twenty thousand things in one breath.
import { misbehave, say } from './faultBase.mjs';

misbehave(({ sessionId }) => {
  for (let count = 0; count < 20_000; count++) say(sessionId, 'x');
});
