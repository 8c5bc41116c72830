// Exits in the middle of a line.
import { misbehave, silent } from './faultBase.mjs';

misbehave(({ id }) => {
  process.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id ?? 0)},"resu`, () => process.exit(4));
  return silent;
});
