/** A mirror on 127.0.0.1 of the ACP registry, of an npm registry and of downloads, whose content a test decides. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { crc32, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { pack } from 'tar-stream';

/** What the mirror answers to a path: bytes, JSON, or whatever it does with the response. */
type Answer = Buffer | object | ((response: ServerResponse) => void);

export interface AgentMirror {
  readonly url: string;
  /** The URL of the ACP registry. */
  readonly registryUrl: string;
  /** For npm: only this registry, and nothing of the user's own npm. */
  readonly env: Readonly<Record<string, string>>;
  /** The paths that were asked for, in order. */
  readonly asked: readonly string[];
  put(path: string, answer: Answer): string;
  /** Replaces the ACP registry. */
  list(...agents: readonly object[]): void;
  /** Publishes a version of an npm package; earlier ones stay. */
  publish(
    name: string,
    version: string,
    o: { readonly files: Readonly<Record<string, string>>; readonly manifest?: object },
  ): Promise<void>;
  close(): Promise<void>;
}

/** @param home an empty folder, for the cache of npm */
export async function startAgentMirror(home: string): Promise<AgentMirror> {
  const answers = new Map<string, Answer>();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    asked.push(path);
    const answer = answers.get(path);
    if (answer === undefined) response.writeHead(404).end('{}');
    else if (typeof answer === 'function') answer(response);
    else response.end(Buffer.isBuffer(answer) ? answer : JSON.stringify(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const packuments = new Map<string, Record<string, object>>();
  const put = (path: string, answer: Answer): string => {
    answers.set(path, answer);
    return url + path;
  };
  const mirror: AgentMirror = {
    url,
    registryUrl: `${url}/registry.json`,
    env: {
      npm_config_registry: `${url}/npm/`,
      npm_config_cache: `${home}/npm-cache`,
      npm_config_fetch_retries: '0',
      npm_config_userconfig: `${home}/npmrc`,
    },
    asked,
    put,
    list: (...agents) => void put('/registry.json', { version: '1.0.0', agents }),
    async publish(name, version, { files, manifest = {} }) {
      const whole = { name, version, ...manifest };
      const bytes = await tarGz({ ...prefixed('package/', files), 'package/package.json': JSON.stringify(whole) });
      const path = `/npm/${name}/-/${version}.tgz`;
      const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
      const versions = packuments.get(name) ?? {};
      packuments.set(name, versions);
      const hasInstallScript = 'scripts' in manifest;
      versions[version] = { ...whole, ...(hasInstallScript && { hasInstallScript }), dist: { tarball: put(path, bytes), integrity } };
      answers.set(`/npm/${name}`, { name, 'dist-tags': { latest: version }, versions });
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return mirror;
}

function prefixed(prefix: string, files: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [prefix + name, text]));
}

/** The program of an agent that does what its prompt says (test/agents/obedient.mjs), whole in one file that can be started. */
export async function agentProgram(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../agents/obedient.mjs', import.meta.url))],
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: { js: '#!/usr/bin/env node' },
    write: false,
  });
  return outputFiles.map(({ text }) => text).join('');
}

/** Publishes that agent as an npm package with one program. */
export async function publishAgent(mirror: AgentMirror, name: string, version: string, manifest: object = {}): Promise<void> {
  await mirror.publish(name, version, {
    files: { 'agent.mjs': await agentProgram() },
    manifest: { bin: { 'small-agent': 'agent.mjs' }, type: 'module', ...manifest },
  });
}

/** @param links the name of each → what it leads to */
export function tarGz(
  files: Readonly<Record<string, string | Buffer>>,
  links: Readonly<Record<string, string>> = {},
  linkType: 'symlink' | 'link' = 'symlink',
): Promise<Buffer> {
  const archive = pack();
  for (const [name, linkname] of Object.entries(links)) archive.entry({ name, type: linkType, linkname });
  for (const [name, content] of Object.entries(files)) archive.entry({ name, mode: 0o755 }, content);
  archive.finalize();
  return buffer(archive).then((bytes) => gzipSync(bytes));
}

/** A zip archive without compression. @param files name → content, or the place that a link leads to */
export function zip(files: Readonly<Record<string, string | { readonly link: string }>>): Buffer {
  const parts: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const [text, mode] = typeof content === 'string' ? [content, 0o100755] : [content.link, 0o120777];
    const [path, data] = [Buffer.from(name), Buffer.from(text)];
    const shared = Buffer.alloc(26);
    [20, 0, 0, 0, 0].forEach((value, index) => shared.writeUInt16LE(value, index * 2));
    [crc32(data), data.length, data.length].forEach((value, index) => shared.writeUInt32LE(value, 10 + index * 4));
    shared.writeUInt16LE(path.length, 22);
    const end = Buffer.alloc(14);
    end.writeUInt32LE(mode * 0x10000, 6);
    end.writeUInt32LE(offset, 10);
    central.push(Buffer.from('PK\x01\x02\x14\x03', 'latin1'), shared, end, path);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), shared, path, data]);
    parts.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(central);
  const tail = Buffer.alloc(18);
  const count = Object.keys(files).length;
  tail.writeUInt16LE(count, 4);
  tail.writeUInt16LE(count, 6);
  tail.writeUInt32LE(directory.length, 8);
  tail.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, directory, Buffer.from('PK\x05\x06', 'latin1'), tail]);
}
