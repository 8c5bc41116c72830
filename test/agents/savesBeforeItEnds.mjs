// At the end of stdin, closes stdout but keeps working for longer than a host waits for an exit code, like an agent that saves its history.
import { closeSync } from 'node:fs';
import { serve } from './wire.mjs';

const workMs = 1_500;

const exit = process.exit;
process.exit = () => {
  closeSync(1);
  setTimeout(() => exit(0), workMs);
};
serve({});
