/** Parses one agent of the settings: a command or a URL. */
import * as z from 'zod/mini';
import { type AgentDefinition, defaultProtocol, HostError, parsePin, parseServerUrl, protocolOf, toHostError } from '../../core/index.js';
import { errorMessage } from '../../text/errorText.js';

const entrySchema = z.object({
  label: z.optional(z.string()),
  protocol: z._default(z.string(), defaultProtocol),
  command: z.optional(z.string().check(z.minLength(1))),
  args: z.optional(z.array(z.string())),
  /** `null` removes an inherited variable. */
  env: z.optional(z.record(z.string(), z.nullable(z.string()))),
  url: z.optional(z.string()),
  pin: z.optional(z.string()),
  codeNavigation: z.optional(z.boolean()),
  apiKey: z.optional(z.unknown()),
});
type Entry = z.infer<typeof entrySchema>;

/** The agent, or the reason why the entry is invalid, on one or more lines. */
export type ParsedAgent = { readonly definition: AgentDefinition } | { readonly problem: string };

export function parseConfiguredAgent(id: string, value: unknown): ParsedAgent {
  const parsed = entrySchema.safeParse(value);
  if (!parsed.success) return { problem: z.prettifyError(parsed.error) };
  try {
    const problem = combinationProblem(parsed.data);
    if (problem !== undefined) return { problem };
    return { definition: definitionOf(id, parsed.data) };
  } catch (thrown) {
    return { problem: errorMessage(toHostError(thrown), id) };
  }
}

function combinationProblem({ protocol, command, args, env, url, pin, codeNavigation, apiKey }: Entry): string | undefined {
  if (apiKey !== undefined)
    return '"apiKey" does not belong in the settings, which are not secret. ACP Host asks for the key when the server needs it';
  if (command !== undefined && url !== undefined) return 'Set either "command" or "url", not both';
  if (command === undefined && url === undefined) return 'Set "command", or "url" for a server';
  if (url !== undefined && (args !== undefined || env !== undefined)) return '"args" and "env" are for a "command", not for a "url"';
  if (url === undefined && pin !== undefined) return '"pin" is for a "url", not for a "command"';
  if (codeNavigation === true && protocolOf(protocol).asksAboutCode !== true)
    return `"codeNavigation" has no effect: an agent that speaks ${protocol} can't ask the editor`;
  return undefined;
}

/** @throws HostError `usage` */
function definitionOf(
  id: string,
  { label = id, protocol, command, args = [], env = {}, url, pin, codeNavigation = false }: Entry,
): AgentDefinition {
  const { peer } = protocolOf(protocol);
  const asks = codeNavigation ? { mayAskAboutCode: true as const } : {};
  if (url === undefined) {
    if (peer === 'server') throw new HostError('usage', { reason: 'protocol_needs_url', protocol });
    return { id, label, protocol, command: command ?? '', args, env, ...asks };
  }
  if (peer === 'process') throw new HostError('usage', { reason: 'protocol_needs_command', protocol });
  return {
    id,
    label,
    protocol,
    url: parseServerUrl(url),
    key: { type: 'storage' },
    ...(pin === undefined ? {} : { pin: parsePin(pin) }),
    ...asks,
  };
}
