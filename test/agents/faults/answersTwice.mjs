// Gives each answer twice, and a turn's also when its permission is still open.
import { misbehave, silent } from './faultBase.mjs';

misbehave(({ answer }) => {
  answer();
  answer();
  return silent;
});
