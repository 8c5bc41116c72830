/** Powers of the code, each of which may be used in one place only. */
import type { SourceFile } from './tidySource.js';

/** A power: a name or a module, and the files that may use it. */
const oneHome: readonly { readonly power: string; readonly home: RegExp; readonly uses: (file: SourceFile) => boolean }[] = [
  {
    power: 'starting programs',
    home: /^src\/(core\/node\/|demo-agent\/commands\/running\.ts$)/,
    uses: ({ imports }) => imports.some(({ specifier, typeOnly }) => specifier === 'node:child_process' && !typeOnly),
  },
  {
    power: 'file access',
    home: /^src\/(core\/node|demo-agent|cli)\//,
    uses: ({ imports }) => imports.some(({ specifier, typeOnly }) => /^node:fs(?:\/|$)/.test(specifier) && !typeOnly),
  },
  { power: 'reading settings', home: /^src\/extension\/window\/settings\.ts$/, uses: ({ names }) => names.has('getConfiguration') },
  { power: 'opening the log', home: /^src\/extension\/window\/logSink\.ts$/, uses: ({ names }) => names.has('createOutputChannel') },
  {
    power: 'secrets of the editor',
    home: /^src\/extension\/(extension|composeConversations|window\/secrets)\.ts$/,
    uses: ({ names }) => names.has('secrets') || names.has('SecretStorage'),
  },
  {
    power: 'a JSON-RPC connection',
    home: /^src\/core\/(?:rpc\/|link\/socketWire\.ts$)/,
    uses: ({ names }) => names.has('createMessageConnection'),
  },
  {
    power: 'a connection to a server',
    // The link only connects to Unix sockets and named pipes.
    home: /^src\/core\/(?:transport\/(serverSocket|webSocketOpen|webSocketChannel)|link\/engineFile)\.ts$/,
    // Only the functions of `node:net` that connect, because `node:net` is also used for the pipes of a process.
    uses: ({ imports, names }) =>
      imports.some(({ specifier, typeOnly }) => /^(?:node:(?:tls|https?|http2|dgram)|ws)$/.test(specifier) && !typeOnly) ||
      (imports.some(({ specifier }) => specifier === 'node:net') && ['connect', 'createConnection'].some((name) => names.has(name))),
  },
  { power: 'a socket that listens', home: /^src\/core\/link\/listen\.ts$/, uses: ({ names }) => names.has('createServer') },
  {
    // The home says that it is on, because an environment variable could switch it off.
    power: 'a choice whether certificates are verified',
    home: /^src\/core\/transport\/serverSocket\.ts$/,
    uses: ({ names, literals }) =>
      [...names, ...literals].some((word) => /^(?:rejectUnauthorized|NODE_TLS_REJECT_UNAUTHORIZED)$/.test(word)),
  },
  {
    // VS Code turns command URIs in an agent's text into links there.
    power: 'messages of the window',
    home: /^src\/extension\/window\/windowMessages\.ts$/,
    uses: ({ names, literals }) =>
      [...names, ...literals].some((word) =>
        /^(?:show(?:Information|Warning|Error)Message|withProgress|(?:show|create)InputBox)$/.test(word),
      ),
  },
  { power: 'a line to the extension', home: /^src\/webview\/base\/hostLink\.ts$/, uses: ({ names }) => names.has('acquireVsCodeApi') },
  {
    power: 'HTML from text',
    home: /^$/,
    uses: ({ names }) => ['innerHTML', 'outerHTML', 'insertAdjacentHTML', 'createContextualFragment'].some((name) => names.has(name)),
  },
  { power: "the browser's HTML parser", home: /^src\/webview\/markdown\/entities\.ts$/, uses: ({ names }) => names.has('DOMParser') },
  { power: 'code from text', home: /^$/, uses: ({ names }) => names.has('eval') || names.has('Function') },
];

export const powers: readonly string[] = oneHome.map(({ power }) => power);

/** Returns the powers that the file uses without being their home. */
export function misplaced(file: SourceFile): readonly string[] {
  return oneHome.filter(({ uses, home }) => uses(file) && !home.test(file.path)).map(({ power }) => power);
}
