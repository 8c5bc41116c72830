// Sends each answer twice, and that of a turn even while its permission is open.
import { misbehave, silent } from './faultBase.mjs';

misbehave(({ answer }) => {
  answer();
  answer();
  return silent;
});
