// Lives on without reading a byte more, and so without doing anything more.
import { misbehave, silent } from './faultBase.mjs';

misbehave(() => {
  process.stdin.pause();
  setInterval(() => {}, 1 << 30);
  return silent;
});
