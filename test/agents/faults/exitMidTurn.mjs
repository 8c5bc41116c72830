// Exits with an error in the middle of its work.
import { misbehave } from './faultBase.mjs';

misbehave(() => process.exit(3));
