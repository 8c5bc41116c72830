// Needs a sign-in, by itself or in a terminal with `--login`, and can sign its user out. The sign-in is the file `signed-in`, which the prompt "expire"
// removes once, in the middle of its answer.
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { say, serve } from './wire.mjs';

const file = 'signed-in';
const hasExpired = 'has-expired';
const signIn = () => writeFileSync(file, '');
const signOut = () => rmSync(file, { force: true });
const check = () => {
  if (!existsSync(file)) throw { code: -32000, message: 'Authentication required' };
};

if (process.argv.includes('--login')) {
  signIn();
  process.exit(0);
}

serve({
  initialize: ({ clientCapabilities }) => ({
    protocolVersion: 1,
    agentInfo: { name: 'signs-in-by-terminal', version: '1.0.0' },
    agentCapabilities: { loadSession: true, auth: { logout: {} } },
    authMethods: [
      { id: 'browser', name: 'Browser' },
      ...(clientCapabilities.auth?.terminal ? [{ id: 'wizard', name: 'Wizard', type: 'terminal', args: ['--login'] }] : []),
    ],
  }),
  authenticate: () => {
    signIn();
    return {};
  },
  logout: () => {
    signOut();
    return {};
  },
  'session/new': () => {
    check();
    return { sessionId: 's1' };
  },
  'session/load': () => {
    check();
    return {};
  },
  'session/prompt': ({ sessionId, prompt }) => {
    const { text } = prompt.at(-1);
    if (text === 'expire' && !existsSync(hasExpired)) {
      writeFileSync(hasExpired, '');
      say(sessionId, 'half ');
      signOut();
    }
    check();
    say(sessionId, `heard ${text}`);
    return { stopReason: 'end_turn' };
  },
});
