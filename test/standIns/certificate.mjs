/** Makes certificates for stand-ins, as DER by hand, so that tests need no installed program and no private key in the repository. */
import { createSign, generateKeyPairSync, randomBytes } from 'node:crypto';

/** @param {number} tag @param {...Uint8Array} parts */
function der(tag, ...parts) {
  const body = Buffer.concat(parts);
  if (body.length < 128) return Buffer.concat([Buffer.from([tag, body.length]), body]);
  const hex = body.length.toString(16);
  const length = Buffer.from(hex.length % 2 === 1 ? `0${hex}` : hex, 'hex');
  return Buffer.concat([Buffer.from([tag, 0x80 | length.length]), length, body]);
}
const sequence = (/** @type {Uint8Array[]} */ ...parts) => der(0x30, ...parts);
const oid = (/** @type {string} */ hex) => der(6, Buffer.from(hex, 'hex'));
const text = (/** @type {string} */ words) => der(0x0c, Buffer.from(words));
const truth = der(1, Buffer.from([0xff]));

const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'));
const commonName = oid('550403');
const basicConstraints = oid('551d13');
const subjectAltName = oid('551d11');

const nameOf = (/** @type {string} */ name) => sequence(der(0x31, sequence(commonName, text(name))));

/** @param {Date} date */
function utcTime(date) {
  return der(0x17, Buffer.from(`${date.toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`));
}

/**
 * @typedef {{ name: string, key: import('node:crypto').KeyObject, publicKey: import('node:crypto').KeyObject, pem: string }} Certificate
 *
 * @param {string} name
 * @param {{ issuer?: Certificate, isAuthority?: boolean, expired?: boolean, key?: Certificate }} [o] without an issuer it is self-signed; `key`: the certificate whose key to use
 * @returns {Certificate}
 */
export function makeCertificate(name, o = {}) {
  const pair =
    o.key === undefined ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : { privateKey: o.key.key, publicKey: o.key.publicKey };
  const dayMs = 86_400_000;
  const until = o.expired === true ? Date.now() - dayMs : Date.now() + 30 * dayMs;
  const names = sequence(der(0x82, Buffer.from('localhost')), der(0x87, Buffer.from([127, 0, 0, 1])));
  const extensions = [
    sequence(basicConstraints, truth, der(4, o.isAuthority === true ? sequence(truth) : sequence())),
    ...(o.isAuthority === true ? [] : [sequence(subjectAltName, der(4, names))]),
  ];
  const serial = randomBytes(8);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 1;
  const body = sequence(
    der(0xa0, der(2, Buffer.from([2]))),
    der(2, serial),
    ecdsaWithSha256,
    nameOf(o.issuer?.name ?? name),
    sequence(utcTime(new Date(Date.now() - 2 * dayMs)), utcTime(new Date(until))),
    nameOf(name),
    pair.publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  );
  const signature = createSign('sha256')
    .update(body)
    .sign(o.issuer?.key ?? pair.privateKey);
  const whole = sequence(body, ecdsaWithSha256, der(3, Buffer.from([0]), signature));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  const pem = `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
  return { name, key: pair.privateKey, publicKey: pair.publicKey, pem };
}

/** @param {Certificate} certificate @returns {{ key: string, cert: string }} */
export function tlsOptionsOf({ key, pem }) {
  return { key: String(key.export({ type: 'pkcs8', format: 'pem' })), cert: pem };
}
