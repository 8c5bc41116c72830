/** Identifies a certificate by the hash of its public key, which stays the same when the certificate is renewed with the same key. */
import { createHash, type X509Certificate } from 'node:crypto';

/** The facts of a certificate that a server presented, for the user to compare. Contains no secret. */
export interface CertificateFacts {
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

export function factsOf(certificate: X509Certificate): CertificateFacts {
  const { fingerprint256: fingerprint, subject, validFrom, validTo } = certificate;
  return { pin: pinOf(certificate), fingerprint, subject: subject.replaceAll('\n', ', '), validFrom, validTo };
}
