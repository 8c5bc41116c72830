// Keeps running, but stops reading stdin.
import { misbehave, silent } from './faultBase.mjs';

misbehave(() => {
  process.stdin.pause();
  setInterval(() => {}, 1 << 30);
  return silent;
});
