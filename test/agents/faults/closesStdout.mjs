// Closes its stdout and lives on: nothing more can be heard of it.
import { closeSync } from 'node:fs';
import { misbehave, silent } from './faultBase.mjs';

misbehave(() => {
  closeSync(1);
  setInterval(() => {}, 1 << 30);
  return silent;
});
