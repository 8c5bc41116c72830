// Writes invalid lines to stdout: a banner, bytes, and JSON that is not a message.
import { misbehave } from './faultBase.mjs';

misbehave(() => {
  process.stdout.write('Welcome to the agent!\n\n\u2028{"half":\n[1,2]\n"text"\nnull\n{"jsonrpc":"2.0"}\n');
  process.stdout.write(Buffer.from([0xff, 0xfe, 0x00, 0x80, 0x0a]));
});
