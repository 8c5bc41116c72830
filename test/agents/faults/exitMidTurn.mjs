// Ends with an error in the middle of what it does.
import { misbehave } from './faultBase.mjs';

misbehave(() => process.exit(3));
