// At the end of its stdin it closes its stdout at once and works on for longer than a host waits for an exit code: as one that writes its history down.
import { closeSync } from 'node:fs';
import { serve } from './wire.mjs';

const workMs = 1_500;

const exit = process.exit;
process.exit = () => {
  closeSync(1);
  setTimeout(() => exit(0), workMs);
};
serve({});
