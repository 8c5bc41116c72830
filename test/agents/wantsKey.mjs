// Opens a session after it was told to use the key in its environment, or after a command in a terminal has created a file. It never saves a key.
// --ways=… selects the sign-in methods. With --at-prompt, it opens a session without, and asks for the sign-in at the first prompt.
import { existsSync, readFileSync } from 'node:fs';
import { say, serve } from './wire.mjs';

const ways = (process.argv.find((argument) => argument.startsWith('--ways=')) ?? '--ways=key').slice('--ways='.length).split(',');
const atPrompt = process.argv.includes('--at-prompt');
const key = process.env.WANTED_API_KEY;
let signedIn = false;

const check = () => {
  if (!signedIn && !existsSync('signed-in')) throw { code: -32000, message: 'Authentication required' };
};

/** Asks for something for ever, and so does what it started, which only SIGKILL ends. */
const stubborn = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1 << 30); console.log('asks');`;
const patient = `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(stubborn)}], { stdio: 'inherit' });`;

const offered = {
  key: { id: 'api-key', name: 'API Key', description: 'Use an API key to authenticate', _meta: { 'api-key': { provider: 'wanted' } } },
  terminal: {
    id: 'wizard',
    name: 'Wizard',
    _meta: {
      'terminal-auth': {
        command: process.execPath,
        args: ['-e', 'require("fs").writeFileSync("signed-in", process.env.WHO)'],
        env: { WHO: 'me', WIZARD_TOKEN: 'hunter22horse' },
      },
    },
  },
  patient: { id: 'patient', name: 'Patient', _meta: { 'terminal-auth': { command: process.execPath, args: ['-e', patient] } } },
  browser: { id: 'browser', name: 'Browser', description: 'opens a page' },
};

serve({
  initialize: ({ clientCapabilities }) => ({
    protocolVersion: 1,
    agentInfo: { name: 'wants-key', title: 'Wants Key', version: '1.0.0' },
    agentCapabilities: { sessionCapabilities: { list: {} } },
    authMethods: ways
      .filter((way) => !['terminal', 'patient'].includes(way) || clientCapabilities._meta?.['terminal-auth'] === true)
      .map((way) => offered[way]),
  }),
  authenticate: ({ methodId }) => {
    if (methodId === 'api-key' && key === undefined) throw { code: -32603, message: 'WANTED_API_KEY is not set' };
    if (methodId === 'api-key' && key === 'wrong') throw { code: -32603, message: `The key ${key} was refused` };
    if (methodId === 'browser') console.error('Open https://example.com/device and enter ABCD');
    signedIn = true;
    return {};
  },
  'session/new': () => {
    if (!atPrompt) check();
    return { sessionId: 's1' };
  },
  'session/list': () => {
    check();
    return { sessions: [{ sessionId: 'earlier', cwd: process.cwd() }] };
  },
  'session/prompt': ({ sessionId }) => {
    check();
    say(sessionId, existsSync('signed-in') ? `signed in as ${readFileSync('signed-in', 'utf8')}` : 'signed in by key');
    return { stopReason: 'end_turn' };
  },
});
