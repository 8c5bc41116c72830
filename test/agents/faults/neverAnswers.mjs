// Keeps running, but never sends one of its answers.
import { misbehave, silent } from './faultBase.mjs';

misbehave(() => silent);
