// Ends in order when nobody wants anything of it.
import { misbehave } from './faultBase.mjs';

misbehave(() => process.exit(0));
