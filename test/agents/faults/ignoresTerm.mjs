// From then on, ignores the end of stdin, SIGINT and SIGTERM.
import { misbehave } from './faultBase.mjs';

misbehave(({ ignoreEnd }) => {
  ignoreEnd();
  process.on('SIGINT', () => {}).on('SIGTERM', () => {});
  setInterval(() => {}, 1 << 30);
});
