/**
 * An agent of the ACP registry, and the ways to install it here. Source: https://github.com/agentclientprotocol/registry, its schema of
 * 2026-07-24, the members `cmd` and `sha256` of its later entries, and its `quarantine.json` as a member of the list.
 */
import * as z from 'zod/mini';
import { findKnownAgent } from '../agents/knownAgents.js';
import { textMember, withoutAbsent } from '../base/fields.js';
import { foldToOneLine } from '../base/hiddenText.js';
import { isOnThisMachine } from '../base/misleadingHost.js';
import { isSafeSource } from '../node/download.js';
import { type ArchiveKind, staysInside } from '../node/unpack.js';

/** Its texts are one line each, without hidden characters: they are shown where the user decides. */
export interface RegistryEntry {
  /** Lower-case letters, digits and hyphens. */
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** What its publisher says about it. */
  readonly description?: string;
  /** An SPDX identifier, or `proprietary`. */
  readonly license?: string;
  /** Its page or its source, for people. */
  readonly website?: string;
  /** Why the registry doesn't update it: its tests failed with this version, or with a later one. */
  readonly quarantine?: string;
  /** Those that fit this system, in the order in which they are preferred. Empty if there is none. */
  readonly ways: readonly InstallWay[];
}

interface Started {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** `npm`, `python`: a package with its exact version. */
export type InstallWay = PackageWay | BinaryWay;

export interface PackageWay extends Started {
  readonly type: 'npm' | 'python';
  /** The name of the package. */
  readonly name: string;
  readonly version: string;
  /** The name of its program; if it is absent, the package has only one, or one with its own name. */
  readonly program?: string;
}

export interface BinaryWay extends Started {
  readonly type: 'binary';
  readonly url: string;
  /** `raw`: the program itself. */
  readonly kind: ArchiveKind | 'raw';
  /** The path of the program in the archive. */
  readonly program: string;
  /** In lower-case hexadecimal digits. */
  readonly sha256?: string;
}

/** An entry, or a way of it, that is not used, and why. */
interface LeftOut {
  readonly id: string;
  readonly why: /** It is not as the registry describes entries. */
    | 'shape'
    | 'id_twice'
    /** A known agent has this name, which would be mistaken for it. */
    | 'known_id'
    /** The package has no exact version. */
    | 'not_pinned'
    | 'archive_kind'
    /** It sets a variable that decides which programs run. */
    | 'plumbing_variable';
  /** What is wrong, for people who know the format. */
  readonly detail: string;
}

export interface ParsedRegistry {
  readonly entries: readonly RegistryEntry[];
  readonly leftOut: readonly LeftOut[];
}

/** An argument or a value that a process can get. */
const text = z.string().check(z.regex(/^[^\0]*$/));
const line = z.string().check(z.regex(/^[^\p{Cc}]+$/u), z.maxLength(500));
const started = { args: z._default(z.array(text), []), env: z._default(z.record(z.string(), text), {}) };
const programName = z.string().check(z.regex(/^[\w@][\w.@+-]*$/));
const packageSchema = z.object({ package: z.string(), cmd: z.optional(programName), ...started });
const binarySchema = z.object({
  archive: z.string().check(z.refine(isSafeSource, 'not an https: address')),
  cmd: z.string().check(z.maxLength(500)),
  sha256: z.optional(z.string().check(z.regex(/^[0-9a-fA-F]{64}$/))),
  ...started,
});
const entrySchema = z.object({
  id: z.string().check(z.regex(/^[a-z][a-z0-9-]{0,63}$/)),
  name: line,
  version: z.string().check(z.regex(/^\d+\.\d+\.\d+[\w.+-]{0,64}$/)),
  description: z.optional(z.string()),
  license: z.optional(line),
  website: z.optional(z.string()),
  repository: z.optional(z.string()),
  distribution: z.object({
    npx: z.optional(z.unknown()),
    uvx: z.optional(z.unknown()),
    binary: z.optional(z.record(z.string(), z.unknown())),
  }),
});
const descriptionChars = 500;
const registrySchema = z.object({ agents: z.array(z.unknown()), quarantine: z.optional(z.unknown()) });

/** An exact version, never a range, a tag, a URL or a folder; a name never looks like an option. */
const npmPackage = /^((?:@[a-z0-9][a-z0-9._~-]*\/)?[a-z0-9][a-z0-9._~-]*)@(\d+\.\d+\.\d+(?:-[\w.-]+)?(?:\+[\w.-]+)?)$/;
const pythonPackage = /^([A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)(?:==|@)(\d[\w.!+]*)$/;

/**
 * Parses each entry on its own, so that a bad one costs only itself. Members that are not used are dropped.
 * @param source where the list was fetched from; undefined for the one that ships
 * @returns undefined if it is not a registry
 */
export function parseRegistry(
  value: unknown,
  machine: Pick<NodeJS.Process, 'platform' | 'arch'>,
  source?: string,
): ParsedRegistry | undefined {
  const registry = registrySchema.safeParse(value);
  if (!registry.success) return undefined;
  const entries = new Map<string, RegistryEntry>();
  const leftOut: LeftOut[] = [];
  const { quarantine } = registry.data;
  for (const [index, one] of registry.data.agents.entries()) {
    const parsed = entrySchema.safeParse(one);
    if (!parsed.success) {
      leftOut.push({ id: nameOf(one) ?? `#${index + 1}`, why: 'shape', detail: z.prettifyError(parsed.error) });
      continue;
    }
    const { id, name, version, description, license, website, repository, distribution } = parsed.data;
    const namesake = findKnownAgent(id);
    if (entries.has(id) || (namesake !== undefined && namesake.registryId !== id)) {
      leftOut.push({ id, why: entries.has(id) ? 'id_twice' : 'known_id', detail: id });
      continue;
    }
    const ways: InstallWay[] = [];
    const add = (kind: string, way: Way | undefined): void => {
      if (way === undefined) return;
      if ('why' in way) leftOut.push({ id, why: way.why, detail: `${kind}: ${way.detail}` });
      else ways.push(way);
    };
    add('npx', packageWay('npm', npmPackage, distribution.npx));
    add('uvx', packageWay('python', pythonPackage, distribution.uvx));
    add('binary', binaryWay(distribution.binary?.[targetOf(machine)], machine.platform, source));
    const page = [website, repository].find((url) => url !== undefined && /^https:\/\//.test(url) && URL.canParse(url));
    entries.set(id, {
      id,
      name: foldToOneLine(name),
      version,
      ways,
      ...withoutAbsent({
        description: oneLine(description),
        license: license && foldToOneLine(license),
        website: page && new URL(page).href,
        quarantine: oneLine(textMember(quarantine, id)),
      }),
    });
  }
  return { entries: [...entries.values()], leftOut };
}

function oneLine(text: string | undefined): string | undefined {
  return text && foldToOneLine(text.slice(0, descriptionChars));
}

function nameOf(entry: unknown): string | undefined {
  return textMember(entry, 'id')?.slice(0, 64);
}

/** The name that the registry has for a system. */
function targetOf({ platform, arch }: Pick<NodeJS.Process, 'platform' | 'arch'>): string {
  const system = platform === 'win32' ? 'windows' : platform;
  return `${system}-${arch === 'arm64' ? 'aarch64' : arch === 'x64' ? 'x86_64' : arch}`;
}

type Refused = Pick<LeftOut, 'why' | 'detail'>;
type Way = InstallWay | Refused;

function packageWay(type: PackageWay['type'], shape: RegExp, value: unknown): Way | undefined {
  if (value === undefined) return undefined;
  const parsed = packageSchema.safeParse(value);
  if (!parsed.success) return { why: 'shape', detail: z.prettifyError(parsed.error) };
  const { package: specified, cmd, args, env } = parsed.data;
  const [, name, version] = shape.exec(specified) ?? [];
  if (name === undefined || version === undefined) return { why: 'not_pinned', detail: specified.slice(0, 200) };
  return plumbingIn(env) ?? { type, name, version, ...(cmd === undefined ? {} : { program: cmd }), args, env };
}

function binaryWay(value: unknown, platform: NodeJS.Platform, source: string | undefined): Way | undefined {
  if (value === undefined) return undefined;
  const parsed = binarySchema.safeParse(value);
  if (!parsed.success) return { why: 'shape', detail: z.prettifyError(parsed.error) };
  const { archive, cmd, sha256, args, env } = parsed.data;
  const program = platform === 'win32' ? cmd.replaceAll('\\', '/') : cmd;
  if (program === '' || program.endsWith('/') || !staysInside(program))
    return { why: 'shape', detail: 'cmd: not a path inside the archive' };
  const { href: url, pathname, protocol } = new URL(archive);
  // Such an address is on this machine, and a list from elsewhere must not make requests to its servers.
  if (protocol === 'http:' && (source === undefined || !isOnThisMachine(source)))
    return { why: 'shape', detail: 'archive: not an https: address' };
  const kind = kindOf(pathname);
  if (kind === undefined) return { why: 'archive_kind', detail: pathname.split('/').at(-1) ?? '' };
  return (
    plumbingIn(env) ?? {
      type: 'binary',
      url,
      kind,
      program,
      ...(sha256 === undefined ? {} : { sha256: sha256.toLowerCase() }),
      args,
      env,
    }
  );
}

function kindOf(pathname: string): BinaryWay['kind'] | undefined {
  if (/\.zip$/i.test(pathname)) return 'zip';
  if (/\.(?:tar\.gz|tgz)$/i.test(pathname)) return 'tar.gz';
  if (/\.(?:tar\.bz2|tbz2?)$/i.test(pathname)) return 'tar.bz2';
  return /\.(?:tar(?:\.\w+)?|txz|7z|rar|gz|bz2|xz|zst|dmg|pkg|deb|rpm|msi|appimage)$/i.test(pathname) ? undefined : 'raw';
}

function plumbingIn(env: Readonly<Record<string, string>>): Refused | undefined {
  const [first] = plumbingVariables(Object.keys(env));
  return first === undefined ? undefined : { why: 'plumbing_variable', detail: first };
}

/**
 * Variables that decide which code runs, where files are, whose account is used, or who sees the traffic, and are therefore not for an
 * entry of a list to set. Source: `sanitize_agent_env` of https://github.com/agentclientprotocol/registry, and more of the same kinds.
 */
const names = new Set([
  'PATH',
  'PATHEXT',
  'HOME',
  'USERPROFILE',
  'SHELL',
  'COMSPEC',
  'IFS',
  'ENV',
  'BASH_ENV',
  'SYSTEMROOT',
  'WINDIR',
  'PERL5LIB',
  'PERL5OPT',
  'RUBYOPT',
  'RUBYLIB',
  'JAVA_TOOL_OPTIONS',
  '_JAVA_OPTIONS',
  'EDITOR',
  'VISUAL',
  'PAGER',
  'BROWSER',
  'CLASSPATH',
  'JAVA_HOME',
  'ZDOTDIR',
  'APPDATA',
  'LOCALAPPDATA',
]);
const ofLoaders = /^(?:LD|DYLD|GLIBC|GCONV|NODE|NPM|BUN|DENO|UV|PIP|DOTNET|COR|CORECLR|JDK|OPENSSL|SSL|SSH|GIT)_|^PYTHON/;
const ofPlaces = /^(?:XDG|GITHUB|AWS|AZURE|GOOGLE|ELECTRON|VSCODE)_|^(?:TMP|TEMP|ACP_HOST)/;
const ofTraffic = /^(?:(?:HTTPS?|ALL|NO)_PROXY|(?:CURL|REQUESTS)_CA_BUNDLE)$/;

/** Returns the variables that an entry of a registry may not set. Names that are none count as such. */
export function plumbingVariables(variables: readonly string[]): readonly string[] {
  return variables.filter((variable) => {
    const name = variable.toUpperCase();
    return !/^[A-Z_]\w*$/.test(name) || names.has(name) || [ofLoaders, ofPlaces, ofTraffic].some((kind) => kind.test(name));
  });
}
