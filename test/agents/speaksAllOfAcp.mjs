// The SDK's own agent(), which checks what it receives, with every method that the SDK's schema has for an agent.
import { Readable, Writable } from 'node:stream';
import { agent, methods, ndJsonStream, RequestError } from '@agentclientprotocol/sdk';
import { answer } from './allOfAcp.mjs';

const turns = new Map();
const { cancel } = methods.agent.session;
const namesIn = (group) => Object.values(group).flatMap((one) => (typeof one === 'string' ? one : namesIn(one)));

let app = agent({ name: 'all-of-acp' });
for (const method of namesIn(methods.agent).filter((name) => name !== cancel)) {
  app = app.onRequest(method, async ({ params, client, signal }) => {
    const context = {
      request: (name, given) => client.request(name, given),
      notify: (name, given) => client.notify(name, given),
      aborted: new Promise((_, reject) => signal.addEventListener('abort', () => reject(RequestError.requestCancelled()))),
      cancelled: new Promise((resolve) => turns.set(params.sessionId, resolve)),
    };
    context.aborted.catch(() => {});
    try {
      return await answer(method, params, context);
    } catch (error) {
      throw error instanceof RequestError ? error : new RequestError(error.code ?? -32603, error.message);
    }
  });
}
app
  .onNotification(cancel, ({ params }) => turns.get(params.sessionId)?.('cancelled'))
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
