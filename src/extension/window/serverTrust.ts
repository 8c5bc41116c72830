/** What the user decided about servers, by origin: keys, pins of certificates, and consent to unencrypted connections. */
import type * as vscode from 'vscode';
import type { ApiKeys } from './secrets.js';

/** `url` is that of the server, as in its definition. */
export interface ServerTrust {
  readonly keys: ApiKeys;
  pinOf(url: string): string | undefined;
  pin(url: string, pin: string): Promise<void>;
  isPlainAllowed(url: string): boolean;
  allowPlain(url: string): Promise<void>;
}

const plain = 'plain';

/** @param keys by the URL of the server */
export function createServerTrust(keys: ApiKeys, memory: Pick<vscode.Memento, 'get' | 'update'>): ServerTrust {
  const nameOf = (url: string): string => `acpHost.serverTrust.${new URL(url).origin}`;
  const trusted = (url: string): string | undefined => {
    const value: unknown = memory.get(nameOf(url));
    return typeof value === 'string' ? value : undefined;
  };
  return {
    keys,
    pinOf(url) {
      const value = trusted(url);
      return value === plain ? undefined : value;
    },
    pin: async (url, pin) => memory.update(nameOf(url), pin),
    isPlainAllowed: (url) => trusted(url) === plain,
    allowPlain: async (url) => memory.update(nameOf(url), plain),
  };
}
