/** What an agent was given for a session besides its folder, and what was left out. */

/**
 * Why an MCP server is left out, or all of a file. `shape`, `url`: its definition is not valid. `variable`: it needs a value that nobody gave.
 * `member`: it needs something that agents can't be told. `too_long`: there is too much for the user to check. `declined`, `undecided`: by the user.
 * `same_name`: another one has its name. `transport`: the agent has none for it. `file_text`: the file is no JSON object. `file_place`: it is
 * no ordinary file of the folder, or too large.
 */
export const leftOutCodes = [
  'shape',
  'url',
  'variable',
  'member',
  'too_long',
  'declined',
  'undecided',
  'same_name',
  'transport',
  'file_text',
  'file_place',
] as const;

export interface LeftOutServer {
  /** The name of the server, or of the file. */
  readonly server: string;
  readonly code: (typeof leftOutCodes)[number];
  /** The name of the variable, or of the member. */
  readonly variable?: string;
}

export interface SessionContext {
  /** The names of the MCP servers that the agent was told of. */
  readonly servers: readonly string[];
  readonly leftOut: readonly LeftOutServer[];
  /** The other folders that the agent was told of: absolute, without symbolic links. */
  readonly folders: readonly string[];
}
