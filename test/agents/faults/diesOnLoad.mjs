// Ends with an error whenever it is asked to take up an earlier conversation.
import { misbehave } from './faultBase.mjs';

misbehave(() => process.exit(7), { always: true });
