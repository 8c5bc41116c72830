// From then on ends neither at the end of its stdin nor on INT or TERM.
import { misbehave } from './faultBase.mjs';

misbehave(({ ignoreEnd }) => {
  ignoreEnd();
  process.on('SIGINT', () => {}).on('SIGTERM', () => {});
  setInterval(() => {}, 1 << 30);
});
