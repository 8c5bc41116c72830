/** Why an MCP server is left out, in words. */
import { foldToOneLine, type McpProblem } from '../core/index.js';

/** Returns a sentence without a period. */
export function mcpProblemText({ server, code, variable = '' }: McpProblem): string {
  return `MCP server "${foldToOneLine(server)}": ${reasons[code](variable)}`;
}

const reasons: Readonly<Record<McpProblem['code'], (variable: string) => string>> = {
  shape: () => 'It needs a "command", with "args" and "env" as texts, or the "url" of a server, with "headers"',
  url: () => 'The "url" must begin with http:// or https://',
  variable: (variable) =>
    /^(?:input|command|config):/.test(variable)
      ? `\${${variable}} is not supported. Use \${env:NAME} for an environment variable`
      : `There is no environment variable ${variable.replace(/^env:/, '')}`,
};
