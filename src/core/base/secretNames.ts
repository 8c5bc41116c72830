/** Files that hold secrets, as their names say. */
const secretName =
  /^(?:\.envrc|\.env(?!\.(?:example|sample|template|dist)$)(?:\..+)?|id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|\.(?:netrc|pgpass|my\.cnf|npmrc|pypirc|git-credentials|htpasswd|dockercfg|vault-token)|_netrc|(?:credentials|secrets)(?:\.(?:json|ya?ml|toml))?|.+\.(?:pem|key|p12|pfx|jks|keystore))$/i;

/** @param path with `/` or `\` between its parts; only the last part counts */
export function namesSecret(path: string): boolean {
  return secretName.test(path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1));
}
