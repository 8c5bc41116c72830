/** What an MCP server is, and why one is left out, in words. */
import { foldToOneLine, type LeftOutServer, type McpServer, pageFacts, revealOnOneLine } from '../core/index.js';

/** Returns a sentence without a period. */
export function leftOutText({ server, code, variable = '' }: LeftOutServer): string {
  const name = foldToOneLine(server);
  const reason = leftOutReason({ code, variable });
  return code === 'file_text' || code === 'file_place' ? `${name}: ${reason}` : `MCP server "${name}": ${reason}`;
}

/** Returns the reason alone, for a list in which the user's own choices are among the others. */
export function leftOutReason({ code, variable = '' }: Pick<LeftOutServer, 'code' | 'variable'>): string {
  return reasons[code](foldToOneLine(variable));
}

/** Returns everything that a user consents to: the server and its file, its command or URL, where a URL really leads, and the variables or headers. */
export function mcpServerLines(server: McpServer, file: string): readonly string[] {
  const [words, named] = 'url' in server ? [[server.url], server.headers] : [[server.command, ...server.args], server.env];
  return [
    `${foldToOneLine(server.name)} (${file})`,
    `    ${words.map(shownWord).join(' ')}`,
    ...('url' in server ? urlWarnings(server.url) : []).map((warning) => `    ${warning}`),
    ...named.map(({ name, value }) => `    ${revealOnOneLine(name)}=${shownWord(value)}`),
  ];
}

/** A URL with variables in its host has no host yet. */
function urlWarnings(url: string): readonly string[] {
  const { host, misleads, isExposed } = pageFacts(url) ?? { host: '', misleads: false, isExposed: false };
  return [
    ...(misleads ? [`This address leads to ${revealOnOneLine(host)}.`] : []),
    ...(isExposed ? ['The connection is not encrypted, so others can read and change what is sent.'] : []),
  ];
}

/** With quotation marks around a word that would look like several, or like none. */
function shownWord(word: string): string {
  const shown = revealOnOneLine(word);
  return shown === '' || /[\s"']/.test(shown) ? JSON.stringify(shown) : shown;
}

const reasons: Readonly<Record<LeftOutServer['code'], (variable: string) => string>> = {
  shape: () => 'It needs a "command", with "args" and "env" as texts, or the "url" of a server, with "headers"',
  url: () => 'The "url" must begin with http:// or https://',
  variable: (variable) => {
    if (variable.startsWith('input:')) return `It needs a value for \${${variable}}`;
    return /^(?:command|config):/.test(variable)
      ? `\${${variable}} is not supported. Use \${env:NAME} for an environment variable`
      : `There is no environment variable ${variable.replace(/^env:/, '')}`;
  },
  member: (member) => `"${member}" is not supported: agents can't be told of it`,
  too_long: () => 'Its definition is too long to review, or the files define too much',
  declined: () => "You didn't allow it",
  undecided: () => "You haven't chosen whether to allow it",
  same_name: () => 'Another MCP server has this name',
  transport: () => "The agent can't connect to it over the network",
  file_text: () => 'It is not a JSON file with MCP servers',
  file_place: () => 'It is not a regular file of this folder, or it is larger than 256 KB',
};
