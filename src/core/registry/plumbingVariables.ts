/**
 * Variables that decide which code runs, where files are, or whose account is used, and are therefore not for an entry of a list to set.
 * The registry refuses the same. Source: `sanitize_agent_env` of https://github.com/agentclientprotocol/registry.
 */
const names = new Set([
  'PATH',
  'PATHEXT',
  'HOME',
  'USERPROFILE',
  'SHELL',
  'COMSPEC',
  'IFS',
  'ENV',
  'BASH_ENV',
  'SYSTEMROOT',
  'WINDIR',
  'PERL5LIB',
  'PERL5OPT',
  'RUBYOPT',
  'RUBYLIB',
  'JAVA_TOOL_OPTIONS',
  '_JAVA_OPTIONS',
  'GIT_SSH',
  'GIT_SSH_COMMAND',
  'GIT_ASKPASS',
]);
const prefixes =
  /^(?:LD_|DYLD_|NODE_|NPM_|PYTHON|PIP_|UV_|XDG_|SSH_|SSL_|TMP|TEMP|GITHUB_|AWS_|AZURE_|GOOGLE_|ELECTRON_|VSCODE_|ACP_HOST|GIT_CONFIG|HTTPS?_PROXY$|ALL_PROXY$)/;

/** Returns the variables that an entry of a registry may not set. Names that are none count as such. */
export function plumbingVariables(variables: readonly string[]): readonly string[] {
  return variables.filter((name) => !/^[A-Za-z_]\w*$/.test(name) || names.has(name.toUpperCase()) || prefixes.test(name.toUpperCase()));
}
