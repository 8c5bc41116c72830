/** What the user entrusts to agents: API keys, which are only in the editor's secret storage, one per provider or server; and servers. */
import type * as vscode from 'vscode';
import type { Redactor } from '../../core/index.js';

/** What the user decided about servers, by origin. `url` is that of the server, as in its definition. */
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

type SecretStorage = Pick<vscode.SecretStorage, 'get' | 'store' | 'delete'>;

export interface ApiKeys {
  /** @param provider in upper case, as in the names of its variables */
  read(provider: string): Promise<string | undefined>;
  write(provider: string, key: string): Promise<void>;
  remove(provider: string): Promise<void>;
}

/** Registers every key with the redactor, so that no log can contain it. */
export function createApiKeys(storage: SecretStorage, redactor: Redactor): ApiKeys {
  const nameOf = (provider: string): string => `acpHost.apiKey.${provider}`;
  return {
    async read(provider) {
      const key = await storage.get(nameOf(provider));
      if (key !== undefined) redactor.addSecret(key);
      return key;
    },
    async write(provider, key) {
      redactor.addSecret(key);
      await storage.store(nameOf(provider), key);
    },
    async remove(provider) {
      await storage.delete(nameOf(provider));
    },
  };
}

export interface StoredValues {
  read(name: string): Promise<string | undefined>;
  write(name: string, value: string): Promise<void>;
  remove(name: string): Promise<void>;
}

/** The values that MCP servers of folders need. Who reads one that is secret registers it with the redactor. */
export function createInputValues(storage: SecretStorage): StoredValues {
  const nameOf = (name: string): string => `acpHost.mcpInput.${name}`;
  return {
    read: async (name) => storage.get(nameOf(name)),
    write: async (name, value) => storage.store(nameOf(name), value),
    remove: async (name) => storage.delete(nameOf(name)),
  };
}

/**
 * The keys of servers, by origin: a key for one server is never sent to another.
 * @returns keys by the URL of the server, with the same guarantees as `createApiKeys`
 */
export function createServerKeys(storage: SecretStorage, redactor: Redactor): ApiKeys {
  const keys = createApiKeys(storage, redactor);
  const originOf = (url: string): string => new URL(url).origin;
  return {
    read: (url) => keys.read(originOf(url)),
    write: (url, key) => keys.write(originOf(url), key),
    remove: (url) => keys.remove(originOf(url)),
  };
}
