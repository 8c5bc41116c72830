// Exits with an error at every start.
import { misbehave } from './faultBase.mjs';

misbehave(
  () => {
    process.stderr.write('cannot start: no configuration\n');
    process.exit(1);
  },
  { always: true },
);
