// Ends as if all were well in the middle of what it does.
import { misbehave } from './faultBase.mjs';

misbehave(() => process.exit(0));
