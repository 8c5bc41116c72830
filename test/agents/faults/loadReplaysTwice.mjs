// Loads a session and replays its history twice.
import { misbehave } from './faultBase.mjs';

misbehave(({ history }) => void history.push('hello', ...history));
