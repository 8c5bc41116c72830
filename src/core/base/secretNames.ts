/** Files that hold secrets, as their names say. */
const secretName =
  /^(?:\.envrc|\.env(?!\.(?:example|sample|template|dist)$)(?:\..+)?|id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|\.(?:netrc|pgpass|my\.cnf|npmrc|pypirc|git-credentials|htpasswd|dockercfg|vault-token)|_netrc|(?:credentials|secrets)(?:\.(?:json|ya?ml|toml))?|.+\.(?:pem|key|p12|pfx|jks|keystore))$/i;

/** @param path with `/` or `\` between its parts; only the last part counts */
export function namesSecret(path: string): boolean {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  // Windows opens the same file without the name of a stream (`.env::$DATA`), and without dots and spaces at the end.
  return secretName.test(name) || secretName.test(name.replace(/:.*$/s, '').replace(/[. ]+$/, ''));
}
