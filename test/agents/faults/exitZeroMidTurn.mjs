// Exits with code 0 in the middle of its work.
import { misbehave } from './faultBase.mjs';

misbehave(() => process.exit(0));
