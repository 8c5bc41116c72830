// Closes stdout and keeps running.
import { closeSync } from 'node:fs';
import { misbehave, silent } from './faultBase.mjs';

misbehave(() => {
  closeSync(1);
  setInterval(() => {}, 1 << 30);
  return silent;
});
