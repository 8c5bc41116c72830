/** Maps the ways to sign in that an ACP agent lists. */
import type { AuthMethod as WireAuthMethod } from '@agentclientprotocol/sdk';
import type { AuthMethod, KeyVariables } from '../agentBackend.js';
import { type AuthMethodExtras, parseAuthMethodExtras } from './schema/authMethod.js';

export function toAuthMethod(method: WireAuthMethod): AuthMethod {
  const { id, name, description, _meta: meta } = method;
  const base = { id, name, ...(description == null ? {} : { description }), ...(meta == null ? {} : { meta }) };
  const extras = parseAuthMethodExtras(method);
  // A whole command says more than arguments for the agent's own, so it comes first.
  if (extras.terminal !== undefined) {
    const { command, args, env } = extras.terminal;
    return { ...base, type: 'terminal', command, args, env };
  }
  if ('type' in method && method.type === 'terminal') {
    return { ...base, type: 'terminal', args: method.args ?? [], env: method.env ?? {} };
  }
  const keys = keyVariables(extras, `${name}\n${description ?? ''}`);
  return keys === undefined ? { ...base, type: 'agent' } : { ...base, type: 'agent', keys };
}

/** Matches a name such as `OPENAI_API_KEY` in the text for users. */
const namedVariable = /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_(?:KEY|TOKEN)\b/g;

/** Providers whose variables do not begin with their names. */
const variablesOfProvider: Readonly<Record<string, readonly string[]>> = { google: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'] };

function keyVariables({ variables, keyProvider }: AuthMethodExtras, words: string): KeyVariables | undefined {
  const needed = variables.filter(({ optional }) => optional !== true).map(({ name }) => name);
  if (needed.length > 0) return { names: needed, needs: 'all' };
  const named = [...new Set(words.match(namedVariable) ?? [])];
  if (named.length > 0) return { names: named, needs: 'any' };
  if (keyProvider === undefined) return undefined;
  const provider = keyProvider.toLowerCase();
  const ownName = `${keyProvider.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}_API_KEY`;
  return { names: Object.hasOwn(variablesOfProvider, provider) ? (variablesOfProvider[provider] ?? []) : [ownName], needs: 'any' };
}
