// Answers a prompt with what it contains: {"result": …}, {"error": …}, or both, as JSON text; SIGN_IN: it offers a way to sign in.
import { say, serve } from './wire.mjs';

serve({
  initialize: () => ({
    protocolVersion: 1,
    agentInfo: { name: 'odd', version: '1' },
    agentCapabilities: {},
    authMethods: process.env.SIGN_IN ? [{ id: 'account', name: 'Sign in with an account' }] : [],
  }),
  'session/prompt': ({ sessionId, prompt }, id) => {
    const { text, ...answer } = JSON.parse(prompt[0].text);
    if (text) say(sessionId, text);
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
    return new Promise(() => {});
  },
});
