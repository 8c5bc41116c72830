// Exits with an error whenever it is asked to load a session.
import { misbehave } from './faultBase.mjs';

misbehave(() => process.exit(7), { always: true });
