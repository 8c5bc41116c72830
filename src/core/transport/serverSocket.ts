/**
 * Opens a socket to a server. Nothing is sent before the certificate was checked, which is the case when the caller gets the socket.
 * Verification is never switched off. A certificate that the system does not trust is accepted only if the user pinned its public key; it
 * is then checked against itself.
 */
import { createHash, type X509Certificate } from 'node:crypto';
import { connect as connectPlainly, isIP, type LookupFunction, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectSecurely, type TLSSocket } from 'node:tls';
import { startDeadline } from '../base/deadline.js';
import { HostError, systemFacts } from '../base/errors.js';

export interface ServerTarget {
  /** `ws:` or `wss:`. */
  readonly url: URL;
  /** The pin of the certificate's public key. If it is undefined, the system has to trust the certificate. */
  readonly pin: string | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** A name that stands for this machine is not looked up, because another answer would lead elsewhere. */
const loopbackLookup: LookupFunction = (_host, { all }, done) => {
  const addresses = [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ];
  if (all === true) done(null, addresses);
  else done(null, '127.0.0.1', 4);
};

/** @throws HostError `connect_failed`, `cancelled` */
export function openSocket(target: ServerTarget): Promise<Socket> {
  return target.url.protocol === 'wss:' ? openSecure(target) : openPlain(target);
}

function addressOf({ hostname, port, protocol }: URL): { readonly host: string; readonly port: number; readonly lookup?: LookupFunction } {
  const host = hostname.replace(/^\[|\]$/g, '');
  const own = host === 'localhost' ? { lookup: loopbackLookup } : {};
  return { host, port: port === '' ? (protocol === 'wss:' ? 443 : 80) : Number(port), ...own };
}

async function openPlain(target: ServerTarget): Promise<Socket> {
  const socket = connectPlainly(addressOf(target.url));
  const outcome = await settled(socket, 'connect', target);
  if (outcome === 'open') return socket;
  throw outcome;
}

async function openSecure(target: ServerTarget): Promise<Socket> {
  const { pin } = target;
  const first = await shakeHands(target);
  const { certificate } = first;
  if (certificate === undefined || pin === undefined) return first.socket ?? fail(first.error, certificate);
  if (pinOf(certificate) !== pin) {
    first.socket?.destroy();
    throw mismatch(certificate, pin);
  }
  if (first.socket !== undefined) return first.socket;
  // The key is the pinned one, although no authority vouches for it. Connect again with this certificate as the only trusted one.
  const second = await shakeHands(target, { certificate, pin });
  if (second.socket !== undefined) return second.socket;
  if (second.certificate !== undefined && pinOf(second.certificate) !== pin) throw mismatch(second.certificate, pin);
  return fail(second.error, second.certificate);
}

interface Handshake {
  /** Undefined if the handshake failed and the socket is closed. */
  readonly socket: TLSSocket | undefined;
  readonly error: HostError | undefined;
  /** The certificate that the server presented, whether it is trusted or not. */
  readonly certificate: X509Certificate | undefined;
}

/** @param only the one certificate that is accepted; if it is absent, those that the system trusts */
async function shakeHands(
  target: ServerTarget,
  only?: { readonly certificate: X509Certificate; readonly pin: string },
): Promise<Handshake> {
  const address = addressOf(target.url);
  const name = isIP(address.host) === 0 ? { servername: address.host } : {};
  let certificate: X509Certificate | undefined;
  const trust: ConnectionOptions =
    only === undefined
      ? {}
      : {
          ca: [only.certificate.toString()],
          // The certificate need not be the end of its chain.
          allowPartialTrustChain: true,
          // The key identifies the server, whatever name the certificate contains.
          checkServerIdentity: () => (certificate !== undefined && pinOf(certificate) === only.pin ? undefined : new Error('pin')),
        };
  // Said explicitly, because otherwise an environment variable (NODE_TLS_REJECT_UNAUTHORIZED) could switch verification off.
  const socket = connectSecurely({ ...address, ...name, ...trust, rejectUnauthorized: true });
  // Runs before Node's own listener, which destroys the socket if the certificate is not trusted.
  socket.prependListener('secure', () => (certificate = socket.getPeerX509Certificate()));
  const outcome = await settled(socket, 'secureConnect', target);
  return outcome === 'open' ? { socket, error: undefined, certificate } : { socket: undefined, error: outcome, certificate };
}

/** @param opened the event that says that the socket can be used */
function settled(socket: Socket, opened: string, { timeoutMs, signal }: ServerTarget): Promise<'open' | HostError> {
  return new Promise((resolve) => {
    const give = (outcome: 'open' | HostError): void => {
      stopDeadline();
      signal.removeEventListener('abort', abort);
      socket.off(opened, open);
      if (outcome !== 'open') socket.destroy();
      resolve(outcome);
    };
    const open = (): void => give('open');
    const abort = (): void => give(new HostError('cancelled', { reason: 'start' }));
    const stopDeadline = startDeadline(timeoutMs, () => give(new HostError('connect_failed', { reason: 'no_answer', timeoutMs })));
    signal.addEventListener('abort', abort);
    socket.once(opened, open);
    // This listener stays: without one, an error of the socket would end the program.
    socket.on('error', (error) => {
      const isPlain = 'code' in error && error.code === 'ERR_SSL_WRONG_VERSION_NUMBER';
      const params = isPlain ? ({ reason: 'not_secure' } as const) : ({ reason: 'unreachable', ...systemFacts(firstOf(error)) } as const);
      give(new HostError('connect_failed', params, { cause: error }));
    });
    socket.once('close', () => give(new HostError('connect_failed', { reason: 'closed' })));
    if (signal.aborted) abort();
  });
}

/** Several addresses were tried, and each failed for its own reason. */
function firstOf(error: unknown): unknown {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : undefined;
  return first ?? error;
}

/** @param error says that the certificate is not trusted, if there is one */
function fail(error: HostError | undefined, certificate: X509Certificate | undefined): never {
  const known: HostError = error ?? new HostError('connect_failed', { reason: 'closed' });
  if (certificate === undefined || known.params.reason !== 'unreachable') throw known;
  const facts: CertificateFacts = factsOf(certificate);
  const reason = isValidNow(facts) ? 'certificate_untrusted' : 'certificate_expired';
  throw new HostError('connect_failed', { reason, ...detailIn(known), ...facts }, { cause: known });
}

/** Outside this time, no trust in the certificate helps. */
function isValidNow({ validFrom, validTo }: CertificateFacts): boolean {
  const now = Date.now();
  return Date.parse(validFrom) <= now && now <= Date.parse(validTo);
}

/** Removes Node's advice, which is for those who start Node. */
function detailIn({ params: { detail } }: HostError): { readonly detail?: string } {
  return detail === undefined ? {} : { detail: detail.replace(/; if the root CA .*$/, '') };
}

function mismatch(certificate: X509Certificate, expected: string): HostError {
  return new HostError('connect_failed', { reason: 'pin_mismatch', expected, ...factsOf(certificate) });
}

// Identifies a certificate by the hash of its public key, which stays the same when the certificate is renewed with the same key.

/** The facts of a certificate that a server presented, for the user to compare. Contains no secret. */
interface CertificateFacts {
  /** `sha256/` followed by the Base64 of the SHA-256 of the public key (SubjectPublicKeyInfo, DER). */
  readonly pin: string;
  /** SHA-256 of the whole certificate, in hex with colons, as browsers and OpenSSL show it. */
  readonly fingerprint: string;
  readonly subject: string;
  /** In the format of the certificate. */
  readonly validFrom: string;
  readonly validTo: string;
}

export function pinOf({ publicKey }: X509Certificate): string {
  const key = publicKey.export({ type: 'spki', format: 'der' });
  return `sha256/${createHash('sha256').update(key).digest('base64')}`;
}

function factsOf(certificate: X509Certificate): CertificateFacts {
  const { fingerprint256: fingerprint, subject, validFrom, validTo } = certificate;
  return { pin: pinOf(certificate), fingerprint, subject: subject.replaceAll('\n', ', '), validFrom, validTo };
}
