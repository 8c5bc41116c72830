// Goes on living, and owes one answer for ever.
import { misbehave, silent } from './faultBase.mjs';

misbehave(() => silent);
