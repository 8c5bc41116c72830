// From then on, reads a few bytes at a time with pauses.
import { misbehave } from './faultBase.mjs';

misbehave(({ takeInput }) => {
  process.stdin.removeListener('data', takeInput).pause();
  setInterval(() => {
    const text = process.stdin.read(32) ?? process.stdin.read();
    if (text !== null) takeInput(text);
  }, 5);
});
