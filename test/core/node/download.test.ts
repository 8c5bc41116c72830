import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { toHostError } from '../../../src/core/base/errors.js';
import { downloadText } from '../../../src/core/node/download.js';
import { makeCertificate, tlsOptionsOf } from '../../standIns/certificate.mjs';

test('an encrypted download is not redirected to a server of this machine', async (t) => {
  const asked: (string | undefined)[] = [];
  const plain = createServer((request, response) => {
    asked.push(request.url);
    response.end('secret');
  });
  const moved: RequestListener = (_, response) => response.writeHead(302, { location: `${urlOf('http', plain)}/admin` }).end();
  const secure = createSecureServer(tlsOptionsOf(makeCertificate('127.0.0.1')), moved);
  for (const server of [plain, secure]) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => server.close());
  }
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
  t.after(() => delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']);
  const options = { limitBytes: 1_000, silenceMs: 10_000, signal: new AbortController().signal };
  const outcome = await downloadText(urlOf('https', secure), options).catch((error: unknown) => toHostError(error).params.reason);
  assert.deepEqual([outcome, asked], ['unsafe_source', []]);
});

function urlOf(scheme: string, server: { address(): AddressInfo | string | null }): string {
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return `${scheme}://127.0.0.1:${address.port}`;
}
