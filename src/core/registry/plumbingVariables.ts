/**
 * Variables that decide which code runs, where files are, whose account is used, or who sees the traffic, and are therefore not for an
 * entry of a list to set. Source: `sanitize_agent_env` of https://github.com/agentclientprotocol/registry, and more of the same kinds.
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
  'EDITOR',
  'VISUAL',
  'PAGER',
  'BROWSER',
  'CLASSPATH',
  'JAVA_HOME',
  'ZDOTDIR',
  'APPDATA',
  'LOCALAPPDATA',
]);
const ofLoaders = /^(?:LD|DYLD|GLIBC|GCONV|NODE|NPM|BUN|DENO|UV|PIP|DOTNET|COR|CORECLR|JDK|OPENSSL|SSL|SSH|GIT)_|^PYTHON/;
const ofPlaces = /^(?:XDG|GITHUB|AWS|AZURE|GOOGLE|ELECTRON|VSCODE)_|^(?:TMP|TEMP|ACP_HOST)/;
const ofTraffic = /^(?:(?:HTTPS?|ALL|NO)_PROXY|(?:CURL|REQUESTS)_CA_BUNDLE)$/;

/** Returns the variables that an entry of a registry may not set. Names that are none count as such. */
export function plumbingVariables(variables: readonly string[]): readonly string[] {
  return variables.filter((variable) => {
    const name = variable.toUpperCase();
    return !/^[A-Z_]\w*$/.test(name) || names.has(name) || [ofLoaders, ofPlaces, ofTraffic].some((kind) => kind.test(name));
  });
}
