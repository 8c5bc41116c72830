/** The files of a folder that define MCP servers. Others wrote them: whatever they define needs the user's consent. */
import { join } from 'node:path';
import { type Fields, isFields } from '../base/fields.js';
import { parseRelaxedJson } from '../base/parseJson.js';
import { isWithin } from '../base/paths.js';
import { nearestRealPath } from '../node/files.js';
import { readWorkFile } from '../node/workFiles.js';

/** In VS Code's format and in that of Claude Code. The first one that defines a server counts. */
export const mcpFileNames = ['.vscode/mcp.json', '.mcp.json'] as const;

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
  /** The definitions by the names of the servers, as they are in the file. */
  readonly entries: Fields;
  readonly inputs: readonly McpInput[];
}

/** Accepts comments and trailing commas, as VS Code does. @returns undefined if it is no JSON object, or its members have other types */
export function parseMcpFile(text: string): McpFile | undefined {
  const content = parseRelaxedJson(text);
  if (!isFields(content)) return undefined;
  const { servers, mcpServers, inputs = [] } = content;
  const [entries = {}] = [servers, mcpServers].filter((value) => value !== undefined);
  if (!isFields(entries) || !Array.isArray(inputs)) return undefined;
  return { entries, inputs: inputs.map(inputOf).filter((input) => input !== undefined) };
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
