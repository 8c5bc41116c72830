/** A front end in a separate process: takes commands for one conversation, and reports what happens to it. */
import type { ConversationCommand } from '../../../src/core/index.js';
import { said } from '../conversation/frontEnd.js';
import { openLibraryHost } from './libraryHost.js';

const [state = '', workspace = '', id = ''] = process.argv.slice(2);
const host = openLibraryHost({ state, workspace, program: 'terminal', env: { OBEDIENT_UNIQUE_IDS: '1' } });
const client = host.open(id);
const tell = (): void => {
  const { session, live, elsewhere, passedOver } = client.state;
  const requests = (session?.requests ?? []).map(({ id }) => id);
  process.send?.({ said: said(client.state), isRunning: session?.turn.type === 'running', live, elsewhere, passedOver, requests });
};
client.onChange(tell);
process.on('message', (message: ConversationCommand | 'end') => {
  if (message === 'end') void host.end().then(() => process.disconnect());
  else void client.execute(message);
});
tell();
