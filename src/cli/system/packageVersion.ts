import { readFileSync } from 'node:fs';

/** Beside the bundle (`dist/cli.js`) and beside the sources (`src/cli/system/`). */
const candidates = ['../package.json', '../../../package.json'];

/** The version of the package that this file belongs to. */
export function packageVersion(): string {
  for (const candidate of candidates) {
    const version = versionIn(new URL(candidate, import.meta.url));
    if (version !== undefined) return version;
  }
  throw new Error('package.json of acp-host was not found beside its program');
}

function versionIn(file: URL): string | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return undefined; // not this one: the other layout
  }
  const content: unknown = JSON.parse(text);
  return typeof content === 'object' && content !== null && 'version' in content && typeof content.version === 'string'
    ? content.version
    : undefined;
}
