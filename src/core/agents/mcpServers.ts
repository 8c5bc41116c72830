/** MCP servers that the user or a folder configures for agents, in the shape that VS Code (`servers` of mcp.json) and Claude Code (`mcpServers` of .mcp.json) share. */
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Fields, isFields } from '../base/fields.js';
import { parseRelaxedJson } from '../base/parseJson.js';
import { isWithin } from '../base/paths.js';
import { nearestRealPath } from '../node/files.js';
import { readWorkFile } from '../node/workFiles.js';
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

/** Configurations for other programs have these members. VS Code has none for it. */
function isDisabled(entry: unknown): boolean {
  return isFields(entry) && (entry['disabled'] === true || entry['enabled'] === false);
}

function enabledIn(entries: Fields): Fields {
  return Object.fromEntries(Object.entries(entries).filter(([, entry]) => !isDisabled(entry)));
}

const variablePattern = /\$\{([^{}]+)\}/g;

/**
 * @param entries by the name of the server
 * @param variables what `${env:NAME}`, `${NAME}`, `${input:ID}` and `${NAME:-default}` stand for, by NAME or `input:ID`
 */
export function readMcpServers(entries: Fields, variables: Readonly<Record<string, string | undefined>>): McpServers {
  const servers: McpServer[] = [];
  const problems: LeftOutServer[] = [];
  for (const [name, entry] of Object.entries(enabledIn(entries))) {
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
  // Some programs write the second name.
  const { transport, type: named = transport, command, args = [], env = {}, envFile, cwd, url, headers = {} } = entry;
  // MCP's own name for it, in each of its spellings.
  const type = typeof named === 'string' && /^streamable[-_]?http$/i.test(named) ? 'http' : named;
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

// The files of a folder that define MCP servers. Others wrote them: whatever they define needs the user's consent.

/** In VS Code's format and in that of Claude Code. The first one that defines a server counts. */
const mcpFileNames = ['.vscode/mcp.json', '.mcp.json'] as const;

const limitBytes = 256 * 1024;

/** A value that is asked of the user, as `inputs` in the file define it. */
export interface McpInput {
  readonly id: string;
  readonly description: string;
  readonly isSecret: boolean;
  /** The values that can be chosen; absent: any text. */
  readonly choices?: readonly string[];
  readonly fallback?: string;
}

export interface McpFile {
  /** The definitions by the names of the servers, as they are in the file, without the disabled ones. */
  readonly entries: Fields;
  /** The file defines no server, not even a disabled one. */
  readonly isEmpty: boolean;
  readonly inputs: readonly McpInput[];
}

/** Accepts comments and trailing commas, as VS Code does. @returns undefined if it is no JSON object, or its members have other types */
export function parseMcpFile(text: string): McpFile | undefined {
  const content = parseRelaxedJson(text);
  if (!isFields(content)) return undefined;
  const { servers, mcpServers, inputs = [] } = content;
  const [entries = {}] = [servers, mcpServers].filter((value) => value !== undefined);
  if (!isFields(entries) || !Array.isArray(inputs)) return undefined;
  const isEmpty = Object.keys(entries).length === 0;
  return { entries: enabledIn(entries), isEmpty, inputs: inputs.map(inputOf).filter((input) => input !== undefined) };
}

/**
 * Reads those files that exist. Never rejects.
 * @param folder absolute
 * @returns `content` undefined if it can't be read as such a file, `other` if it is not a regular file of the folder, or too large
 */
export async function readMcpFiles(
  folder: string,
): Promise<readonly { readonly name: string; readonly content: McpFile | undefined | 'other' }[]> {
  const found = await Promise.all(
    mcpFileNames.map(async (name) => {
      const text = await readInside(folder, name).catch(() => 'other' as const);
      if (text === undefined) return [];
      return [{ name, content: text === 'other' ? text : parseMcpFile(text.text) }];
    }),
  );
  return found.flat();
}

async function readInside(folder: string, name: string): Promise<{ readonly text: string } | 'other' | undefined> {
  const [root, real] = await Promise.all([nearestRealPath(folder), nearestRealPath(join(folder, name))]);
  if (!isWithin(root, real)) return 'other';
  const file = await readWorkFile(Buffer.from(real), limitBytes);
  if (file === undefined || file === 'other') return file;
  return file.mode === '120000' ? 'other' : { text: file.bytes.toString('utf8') };
}

function inputOf(value: unknown): McpInput | undefined {
  if (!isFields(value)) return undefined;
  const { type, id, description, password, default: preset, options } = value;
  if (typeof id !== 'string' || id === '') return undefined;
  const base = {
    id,
    description: typeof description === 'string' ? description : id,
    isSecret: password === true,
    ...(typeof preset === 'string' && { fallback: preset }),
  };
  if (type === 'promptString') return base;
  if (type !== 'pickString' || !Array.isArray(options)) return undefined;
  const choices = options.map((one: unknown) => (isFields(one) ? one['value'] : one)).filter((one) => typeof one === 'string');
  return choices.length === 0 ? undefined : { ...base, choices };
}
