// Loads a session without its last turn.
import { misbehave } from './faultBase.mjs';

misbehave(({ history }) => void history.pop());
