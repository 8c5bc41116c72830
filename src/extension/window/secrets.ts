/** What the user entrusts to agents: API keys, which are only in the editor's secret storage, one per provider or server; and servers. */
import type * as vscode from 'vscode';
import type { Redactor } from '../../core/index.js';

export type ServerTrust = ReturnType<typeof createServerTrust>;

const plain = 'plain';

/**
 * What the user decided about servers, by origin. `url` is that of the server, as in its definition.
 * @param keys by the URL of the server
 */
export function createServerTrust(keys: StoredValues, memory: Pick<vscode.Memento, 'get' | 'update'>) {
  const nameOf = (url: string): string => `acpHost.serverTrust.${new URL(url).origin}`;
  const trusted = (url: string): string | undefined => {
    const value: unknown = memory.get(nameOf(url));
    return typeof value === 'string' ? value : undefined;
  };
  return {
    keys,
    pinOf(url: string): string | undefined {
      const value = trusted(url);
      return value === plain ? undefined : value;
    },
    pin: async (url: string, pin: string): Promise<void> => memory.update(nameOf(url), pin),
    isPlainAllowed: (url: string): boolean => trusted(url) === plain,
    allowPlain: async (url: string): Promise<void> => memory.update(nameOf(url), plain),
  };
}

type SecretStorage = Pick<vscode.SecretStorage, 'get' | 'store' | 'delete'>;

export interface StoredValues {
  read(name: string): Promise<string | undefined>;
  write(name: string, value: string): Promise<void>;
  remove(name: string): Promise<void>;
}

/** @param redactor learns every value, so that no log can contain it */
function storedValues(storage: SecretStorage, keyOf: (name: string) => string, redactor?: Redactor): StoredValues {
  return {
    async read(name) {
      const value = await storage.get(keyOf(name));
      if (value !== undefined) redactor?.addSecret(value);
      return value;
    },
    async write(name, value) {
      redactor?.addSecret(value);
      await storage.store(keyOf(name), value);
    },
    remove: async (name) => storage.delete(keyOf(name)),
  };
}

/** By the name of the provider in upper case, as in the names of its variables. */
export function createApiKeys(storage: SecretStorage, redactor: Redactor): StoredValues {
  return storedValues(storage, (provider) => `acpHost.apiKey.${provider}`, redactor);
}

/** The keys of servers, by URL: a key for one server is never sent to another. */
export function createServerKeys(storage: SecretStorage, redactor: Redactor): StoredValues {
  return storedValues(storage, (url) => `acpHost.apiKey.${new URL(url).origin}`, redactor);
}

/** The values that MCP servers of folders need. Who reads one that is secret registers it with the redactor. */
export function createInputValues(storage: SecretStorage): StoredValues {
  return storedValues(storage, (name) => `acpHost.mcpInput.${name}`);
}
