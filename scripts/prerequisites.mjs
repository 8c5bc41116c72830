/** What some suites require from the machine, and how to get it. */
import { access, constants } from 'node:fs/promises';
import path from 'node:path';
import { root } from './dependencies.mjs';
import { findOnPath } from './processes.mjs';
import { ensureWorkbench, hasWorkbench } from './workbench.mjs';

/**
 * @callback Need
 * @param {{install: boolean, say: (line: string) => void}} options `install`: fetch it where that is possible
 * @returns {Promise<string | undefined>} how to get it; absent when it is there
 */

/** @type {Need} */
export async function chromium() {
  return (await findChromium()) === undefined
    ? 'install Chromium (Debian: apt-get install chromium-headless-shell fonts-dejavu-core) or set ACP_HOST_TEST_CHROMIUM to its path'
    : undefined;
}

/** @returns {Promise<string | undefined>} the path of a Chromium; the one without windows opens a page in a third of the time */
export async function findChromium() {
  const candidates = [
    process.env.ACP_HOST_TEST_CHROMIUM,
    await findOnPath('chromium-headless-shell'),
    await findOnPath('chromium'),
    await findOnPath('chromium-browser'),
    await findOnPath('google-chrome'),
  ];
  for (const file of candidates) if (await isExecutable(file)) return file;
  return undefined;
}

/** @type {Need} */
export async function workbench({ install, say }) {
  const dir = path.join(root, '.workbench');
  if (install) await ensureWorkbench(dir, say);
  return hasWorkbench(dir) ? undefined : 'install the workbench (800 MB): npm test -- workbench';
}

/**
 * @param {string} variable of the environment
 * @param {string} what for people
 * @returns {Need}
 */
export function executable(variable, what) {
  return async () => ((await isExecutable(process.env[variable])) ? undefined : `set ${variable} to the path of ${what}`);
}

/** @param {string | undefined} file */
async function isExecutable(file) {
  return (
    file !== undefined &&
    (await access(file, constants.X_OK).then(
      () => true,
      () => false,
    ))
  );
}
