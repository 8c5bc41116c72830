// Opens no session: at the end of stdin, refuses those that it was asked for, and exits a moment later.
import { serve } from './wire.mjs';

let refuse = () => {};
const refused = new Promise((_, reject) => (refuse = () => reject({ code: -32000, message: 'Sign in first' })));
refused.catch(() => {});
serve({ 'session/new': () => refused }, () => {
  refuse();
  setTimeout(() => process.exit(0), 300);
});
