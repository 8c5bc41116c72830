// Exits with code 0 while it is idle.
import { misbehave } from './faultBase.mjs';

misbehave(() => process.exit(0));
