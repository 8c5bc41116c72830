// Ends with an error before it is of any use, however often it is started.
import { misbehave } from './faultBase.mjs';

misbehave(
  () => {
    process.stderr.write('cannot start: no configuration\n');
    process.exit(1);
  },
  { always: true },
);
