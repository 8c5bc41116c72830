/** MCP servers that the user configures for agents, in the shape that VS Code (`servers` of mcp.json) and Claude Code (`mcpServers` of .mcp.json) share. */
import { isFields } from '../base/fields.js';
import { parseJson } from '../base/parseJson.js';

interface NamedValue {
  readonly name: string;
  readonly value: string;
}

/** An MCP server that the agent should connect to. The transport is stdio if `type` is absent. */
export type McpServer =
  | { readonly name: string; readonly command: string; readonly args: readonly string[]; readonly env: readonly NamedValue[] }
  | { readonly type: 'http' | 'sse'; readonly name: string; readonly url: string; readonly headers: readonly NamedValue[] };

/** Why a server is left out. `variable` is not set, or of a kind that is not known here. */
export interface McpProblem {
  readonly server: string;
  readonly code: 'shape' | 'url' | 'variable';
  readonly variable?: string;
}

export interface McpServers {
  readonly servers: readonly McpServer[];
  readonly problems: readonly McpProblem[];
}

/**
 * @param entries by the name of the server
 * @param variables what `${env:NAME}` and `${NAME}` stand for
 */
export function readMcpServers(
  entries: Readonly<Record<string, unknown>>,
  variables: Readonly<Record<string, string | undefined>>,
): McpServers {
  const servers: McpServer[] = [];
  const problems: McpProblem[] = [];
  for (const [name, entry] of Object.entries(entries)) {
    const unset = new Set<string>();
    const filled = fill(entry, (variable) => {
      const value = variables[variable.replace(/^env:/, '')];
      if (value === undefined) unset.add(variable);
      return value ?? '';
    });
    const read = serverOf(name, filled);
    const [variable] = unset;
    if (variable !== undefined) problems.push({ server: name, code: 'variable', variable });
    else if (typeof read === 'string') problems.push({ server: name, code: read });
    else servers.push(read);
  }
  return { servers, problems };
}

/** The entries in the text of a file: the member `servers` or `mcpServers` of its JSON. @returns undefined if it has none */
export function serversInFile(text: string): Readonly<Record<string, unknown>> | undefined {
  const content = parseJson(text);
  if (!isFields(content)) return undefined;
  const { servers, mcpServers } = content;
  return [servers, mcpServers].find((value) => isFields(value));
}

/** Replaces the variables in all texts of a value. */
function fill(value: unknown, valueOf: (variable: string) => string): unknown {
  if (typeof value === 'string') return value.replace(/\$\{([^{}]+)\}/g, (_, variable: string) => valueOf(variable));
  if (Array.isArray(value)) return value.map((one) => fill(one, valueOf));
  return isFields(value) ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fill(one, valueOf)])) : value;
}

function serverOf(name: string, entry: unknown): McpServer | McpProblem['code'] {
  if (!isFields(entry)) return 'shape';
  const { type, command, args = [], env = {}, url, headers = {} } = entry;
  if (type === 'http' || type === 'sse' || (type === undefined && command === undefined)) {
    const values = namedValues(headers);
    if (typeof url !== 'string' || values === undefined) return 'shape';
    return isWebAddress(url) ? { type: type ?? 'http', name, url, headers: values } : 'url';
  }
  const values = namedValues(env);
  const isTexts = Array.isArray(args) && args.every((arg) => typeof arg === 'string');
  if ((type !== undefined && type !== 'stdio') || typeof command !== 'string' || command === '' || !isTexts || values === undefined)
    return 'shape';
  return { name, command, args, env: values };
}

function isWebAddress(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

/** @returns undefined if a value is no text, number or boolean */
function namedValues(fields: unknown): readonly NamedValue[] | undefined {
  if (!isFields(fields)) return undefined;
  const values = Object.entries(fields).map(([name, value]) => ({ name, value }));
  return values.every((one) => ['string', 'number', 'boolean'].includes(typeof one.value))
    ? values.map(({ name, value }) => ({ name, value: String(value) }))
    : undefined;
}
