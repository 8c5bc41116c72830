// Hears that it is to stop, and does not.
import { misbehave, silent } from './faultBase.mjs';

misbehave(() => silent);
