// Ignores a cancel.
import { misbehave, silent } from './faultBase.mjs';

misbehave(() => silent);
