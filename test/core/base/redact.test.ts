import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Redactor } from '../../../src/core/base/redact.js';
import { processorMs } from '../../processorTime.js';

const held = 'held "by" the\nhost';
const pieces = [
  'sk-live_0123456789abcdef',
  'ghp_0123456789',
  'AIzaSyA0123456789012345678901',
  'AKIAABCDEFGHIJKLMN',
  'Bearer abcdefghijkl',
  'bearer\tabcdefghijkl',
  'eyJhbGciOiJI.eyJzdWIiOiIx.c2ln',
  '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----',
  'https://user:pass@example.org',
  'https://user:p"a\\s@example.org',
  'API_KEY=value',
  'access-token: abcdef',
  '\nsk-live_0123456789abcdef',
  held,
  'plain words',
  '\\',
  '"',
  '\n',
  '\u2028',
  '\ud800',
  'task_management',
  '://',
  '@',
];
const text = fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 4 })), { maxLength: 4 }).map((parts) => parts.join(''));
const name = fc.constantFrom(
  'name',
  'value',
  'token',
  'X_TOKEN',
  'apiKey',
  'password',
  'Authorization',
  'text',
  'cookies',
  'GITHUB-TOKEN',
  'privateKey',
  'clientSecret',
);
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('any'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(name, tie('any'), { maxKeys: 4, noNullPrototype: true }),
}));

it('redacting while stringifying gives the same result as redacting first', () => {
  const redactor = new Redactor();
  redactor.addSecret(held);
  fc.assert(
    fc.property(value.object, (object) => {
      assert.ok(typeof object === 'object' && object !== null);
      assert.equal(redactor.stringify(object), JSON.stringify(redactor.json(object)));
    }),
    { numRuns: 3_000 },
  );
});

it('redacts a private key without its end', () => {
  const text = new Redactor().text('Here: -----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA0123456789');
  assert.equal(text, 'Here: [redacted]');
});

it('stays fast for a text that is crafted to slow it down', { timeout: 10_000 }, () => {
  const redactor = new Redactor();
  for (const piece of [
    'eyJ-',
    'eyJabcdefgh.',
    '-----BEGIN PRIVATE KEY-----',
    '-----BEGIN ',
    '://a:',
    'Bearer ',
    'secret = ',
    'sk-',
    '--token",',
  ]) {
    const startedAt = processorMs();
    redactor.text(piece.repeat(1_000_000 / piece.length));
    assert.ok(processorMs() - startedAt < 2_000, `${piece} ${processorMs() - startedAt}`);
  }
});

describe('redacted JSON', () => {
  it('is the same object if there is no secret, and otherwise a copy that leaves the original unchanged', () => {
    const [clean, dirty] = [{ at: 1_732_291_200_000, list: [{ text: 'words' }] }, { env: [{ name: 'API_KEY', value: 'hunter2horse' }] }];
    const redactor = new Redactor();
    assert.equal(redactor.json(clean), clean);
    const both = { clean, dirty };
    const redacted = redactor.json(both);
    assert.deepEqual(redacted, { clean, dirty: { env: [{ name: 'API_KEY', value: '[redacted]' }] } });
    assert.deepEqual(both.dirty, { env: [{ name: 'API_KEY', value: 'hunter2horse' }] });
  });

  it('hides the value after an option in a list, values of any type under a secret name, and a secret used as a name', () => {
    const redactor = new Redactor();
    const key = `sk-ant-${'a1B2c3D4'.repeat(5)}`;
    assert.deepEqual(
      redactor.json({
        args: ['--token', 'hunter22', '-v', '--password', 'words'],
        password: ['hunter22', { old: 'horse 7' }],
        passwd: 83749201,
        [key]: 1,
      }),
      {
        args: ['--token', '[redacted]', '-v', '--password', '[redacted]'],
        password: ['[redacted]', { old: '[redacted]' }],
        passwd: '[redacted]',
        '[redacted]': 1,
      },
    );
  });

  it('knows a secret by the name of its member, its variable or its option', () => {
    const value = 'hunter2horse';
    const ways: readonly (readonly [string, string, (name: string) => unknown])[] = [
      [
        'apiKey api_key API-KEY apikey accessKey secret_key privateKey account-key signingKey proxyAuthorization dbPassword passwd ' +
          'passphrase clientSecret pwd db_pwd token user_token authToken accessToken refresh_token session-token bearerToken botToken ' +
          'credential credentials cookie setCookies',
        'secretary tokens maxToken key cookieless cpwd',
        (name) => new Redactor().json({ [name]: value }),
      ],
      [
        'OPENAI_API_KEY APIKEY PROXY_AUTHORIZATION DB_PASSWD SSH_PASSPHRASE SECRET_BASE AWS_CREDENTIALS COOKIE_JAR PRIVATEKEY_FILE ' +
          'SIGNING_KEY GH_TOKEN GITHUB_PAT DB_PWD npm_token',
        'HOME KEYBOARD SIGNING_KEYS MAX_TOKENS PWD MY_PATH',
        (name) => {
          const redactor = new Redactor();
          redactor.addEnvironment({ [name]: value });
          return redactor.text(`It is ${value} here`);
        },
      ],
      [
        '--api-key --apikey -password --db-passwd --passphrase --client-secret --token --credentials --Credential',
        'token --token-file --tokens',
        (option) => new Redactor().json([option, value]),
      ],
    ];
    for (const [secrets, others, redacted] of ways) {
      for (const name of secrets.split(' ')) assert.ok(!JSON.stringify(redacted(name)).includes(value), name);
      for (const name of others.split(' ')) assert.ok(JSON.stringify(redacted(name)).includes(value), name);
    }
  });

  it('hides the name of a member that is registered as a secret after it was seen', () => {
    const redactor = new Redactor();
    const value = { 'word-of-mouth': 1 };
    assert.equal(redactor.json(value), value);
    redactor.addSecret('word-of-mouth');
    assert.deepEqual(redactor.json(value), { '[redacted]': 1 });
  });

  it('keeps each of several members whose names are secrets', () => {
    const redactor = new Redactor();
    for (const secret of ['word-of-mouth', 'sound-of-music']) redactor.addSecret(secret);
    const value = { 'word-of-mouth': 1, 'sound-of-music': 2, password: { 'word-of-mouth': true, 'sound-of-music': false } };
    const both = { '[redacted]': true, '[redacted] 2': false };
    assert.deepEqual(redactor.json(value), { '[redacted]': 1, '[redacted] 2': 2, password: both });
  });

  it('keeps a member named __proto__ beside a secret', () => {
    const input = '{"password":"hunter2hunter2","__proto__":{"command":"ls"},"b":1}';
    assert.equal(new Redactor().stringify(JSON.parse(input)), input.replace('hunter2hunter2', '[redacted]'));
  });

  it('hides a value that is registered as a secret after it was seen as an ID', () => {
    const redactor = new Redactor();
    const id = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
    for (let time = 0; time < 3; time++) assert.deepEqual(redactor.json({ messageId: id }), { messageId: id });
    redactor.addSecret(id);
    assert.deepEqual(redactor.json({ messageId: id }), { messageId: '[redacted]' });
  });
});
