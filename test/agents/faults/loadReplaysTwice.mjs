// Takes up a conversation by telling all of it twice.
import { misbehave } from './faultBase.mjs';

misbehave(({ history }) => void history.push('hello', ...history));
