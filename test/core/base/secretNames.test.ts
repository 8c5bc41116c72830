import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namesSecret } from '../../../src/core/base/secretNames.js';

test('files are known to hold secrets by their names, in any folder and any case', () => {
  const more = ['.htpasswd', '.dockercfg', '.vault-token', 'secrets.yml', 'secrets.YAML', 'credentials.toml'];
  for (const name of [
    '.env',
    '.ENV.local',
    '.envrc',
    'id_rsa',
    'id_ed25519_sk',
    '.netrc',
    '_netrc',
    '.pgpass',
    '.my.cnf',
    'a.pem',
    ...more,
  ])
    for (const path of [name, `a/${name}`, `a\\${name}`]) assert.ok(namesSecret(path), path);
  for (const name of ['.env.', 'id_rsa . ', '.env::$DATA', '.ENV.:stream', 'credentials.json ']) assert.ok(namesSecret(name), name);
  for (const name of ['.env.example', 'id_rsa.pub', 'id_ed25519_sk.pub', 'my.cnf', 'environment.ts', '.env/readme.md', 'secrets.ts'])
    assert.ok(!namesSecret(name), name);
});
