/** Installs the project's own dependencies. Imports only Node's modules, because this runs before anything is installed. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runNpm, withProgress } from './processes.mjs';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/**
 * Installs exactly what package-lock.json specifies, unless it is already installed.
 * @param {(line: string) => void} say
 */
export async function ensureDependencies(say) {
  if (await isInstalled()) return;
  await withProgress('Installing dependencies (npm ci)', say, () =>
    runNpm(['ci', '--include=dev', '--no-fund', '--no-audit'], { cwd: root }),
  );
}

/** npm records what it installed in a hidden lock file, which does not contain optional packages of other platforms. */
async function isInstalled() {
  const wanted = await readPackages(path.join(root, 'package-lock.json'));
  /** @type {typeof wanted} */
  const none = {};
  const installed = await readPackages(path.join(root, 'node_modules/.package-lock.json')).catch(() => none);
  return Object.entries(wanted).every(
    ([name, { version, optional }]) => name === '' || optional === true || installed[name]?.version === version,
  );
}

/**
 * @param {string} lockFile
 * @returns {Promise<Record<string, {version?: string, optional?: boolean}>>} by folder
 */
async function readPackages(lockFile) {
  return JSON.parse(await readFile(lockFile, 'utf8')).packages;
}
