/** MCP servers that the user or a folder configures for agents, in the shape that VS Code (`servers` of mcp.json) and Claude Code (`mcpServers` of .mcp.json) share. */
import { isDeepStrictEqual } from 'node:util';
import { type Fields, isFields } from '../base/fields.js';
import type { LeftOutServer } from '../session/sessionContext.js';

interface NamedValue {
  readonly name: string;
  readonly value: string;
}

/** An MCP server that the agent should connect to. The transport is stdio if `type` is absent. */
export type McpServer =
  | { readonly name: string; readonly command: string; readonly args: readonly string[]; readonly env: readonly NamedValue[] }
  | { readonly type: 'http' | 'sse'; readonly name: string; readonly url: string; readonly headers: readonly NamedValue[] };

export interface McpServers {
  readonly servers: readonly McpServer[];
  readonly problems: readonly LeftOutServer[];
}

const variablePattern = /\$\{([^{}]+)\}/g;

/**
 * @param entries by the name of the server
 * @param variables what `${env:NAME}`, `${NAME}`, `${input:ID}` and `${NAME:-default}` stand for, by NAME or `input:ID`
 */
export function readMcpServers(entries: Fields, variables: Readonly<Record<string, string | undefined>>): McpServers {
  const servers: McpServer[] = [];
  const problems: LeftOutServer[] = [];
  for (const [name, entry] of Object.entries(entries)) {
    const unset = new Set<string>();
    const filled = mapTexts(entry, (text) =>
      text.replace(variablePattern, (_, variable: string) => {
        const [, named = '', fallback] = /^(?:env:)?(.*?)(?::-(.*))?$/s.exec(variable) ?? [];
        const value = (Object.hasOwn(variables, named) ? variables[named] : undefined) ?? fallback;
        if (value === undefined) unset.add(variable);
        return value ?? '';
      }),
    );
    const read = serverOf(name, filled, Object.hasOwn(variables, 'workspaceFolder') ? variables['workspaceFolder'] : undefined);
    const [variable] = unset;
    if (variable !== undefined) problems.push({ server: name, code: 'variable', variable });
    else if ('code' in read) problems.push(read);
    else if ('url' in read && !isWebAddress(read.url)) problems.push({ server: name, code: 'url' });
    else servers.push(read);
  }
  return { servers, problems };
}

/**
 * Returns the server as it is defined, for the user's consent: the variables are not replaced.
 * @returns why it can't be used, whatever they stand for
 */
export function definedServer(name: string, entry: unknown): McpServer | LeftOutServer {
  return serverOf(name, entry, '${workspaceFolder}');
}

/** Returns the ids of the inputs in the texts of a definition. */
export function inputsIn(entry: unknown): ReadonlySet<string> {
  const ids = new Set<string>();
  mapTexts(entry, (text) => {
    for (const [, variable = ''] of text.matchAll(variablePattern)) if (variable.startsWith('input:')) ids.add(variable.slice(6));
    return text;
  });
  return ids;
}

/** Deeper members are dropped: definitions have none. */
const deepest = 20;

/** Variables are in texts, not in the names of members. */
function mapTexts(value: unknown, change: (text: string) => string, depth = 0): unknown {
  if (depth > deepest) return undefined;
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, change, depth + 1));
  return isFields(value) ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapTexts(one, change, depth + 1)])) : value;
}

function serverOf(name: string, entry: unknown, folder: string | undefined): McpServer | LeftOutServer {
  const leftOut = (code: LeftOutServer['code'], variable?: string): LeftOutServer => ({
    server: name,
    code,
    ...(variable !== undefined && { variable }),
  });
  if (!isFields(entry)) return leftOut('shape');
  const { type, command, args = [], env = {}, envFile, cwd, url, headers = {} } = entry;
  if (type === 'http' || type === 'sse' || (type === undefined && command === undefined)) {
    const values = namedValues(headers);
    if (typeof url !== 'string' || values === undefined) return leftOut('shape');
    return isWebAddress(url) || url.includes('${') ? { type: type ?? 'http', name, url, headers: values } : leftOut('url');
  }
  const values = namedValues(env);
  const isTexts = Array.isArray(args) && args.every((arg) => typeof arg === 'string');
  if ((type !== undefined && type !== 'stdio') || typeof command !== 'string' || command === '' || !isTexts || values === undefined)
    return leftOut('shape');
  // Without them, it would be another server. Agents start servers in the folder of the session.
  if (envFile !== undefined) return leftOut('member', 'envFile');
  if (cwd !== undefined && !isDeepStrictEqual(cwd, folder)) return leftOut('member', 'cwd');
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
