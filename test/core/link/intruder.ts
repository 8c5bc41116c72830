/** What another user tries with the engine of somebody else: `intruder.ts STATE ADDRESS`. Prints what came of each attempt, as JSON. */
import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { toHostError } from '../../../src/core/base/errors.js';
import { connectToEngine } from '../../../src/core/link/connect.js';
import { describeError } from '../../../src/text/errorText.js';
import { hello } from './linkLab.js';

const [state = '', address = ''] = process.argv.slice(2);
const file = path.join(state, 'engine.json');
const sockets = path.dirname(address);

const attempts: Readonly<Record<string, () => unknown>> = {
  'read the file': () => readFileSync(file, 'utf8'),
  'write the file': () => writeFileSync(file, '{}'),
  'remove the file': () => rmSync(file),
  'put a file in its place': () => renameSync(path.join(path.dirname(sockets), 'bait'), file),
  'take its lock': () => mkdirSync(`${file}.lock`),
  'put a link into the folder': () => symlinkSync('/etc/passwd', path.join(state, 'link')),
  'list the sockets': () => readdirSync(sockets),
  'see the socket': () => lstatSync(address),
  'remove the socket': () => rmSync(address),
  'move the sockets away': () => renameSync(sockets, `${sockets}.moved`),
  connect: () =>
    new Promise((resolve, reject) => {
      const socket = connect(address, () => resolve(socket.destroy()));
      socket.on('error', reject);
    }),
};

const results: Record<string, string> = {};
for (const [what, attempt] of Object.entries(attempts)) {
  try {
    await attempt();
    results[what] = 'done';
  } catch (error) {
    results[what] = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
}
const words = await connectToEngine({ stateFolder: state, hello, launch: () => Promise.reject(new Error('none')) }).then(
  () => 'connected',
  (error: unknown) => {
    const { title, text } = describeError(toHostError(error).toData(), { agent: 'Agent' });
    return `${title}. ${text}`;
  },
);
console.log(JSON.stringify({ uid: process.getuid?.(), results, words }));
