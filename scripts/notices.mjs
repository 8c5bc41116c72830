/**
 * THIRD-PARTY-NOTICES: the licenses of everything in the package that others wrote. `node scripts/notices.mjs [--print]` creates it from
 * the last build.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { root } from './dependencies.mjs';

/** Licenses of code that may be distributed together with code under Apache-2.0. */
const compatible = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'CC-BY-4.0', 'ISC', 'MIT'];

/** Files that the build copies, so that esbuild's metafiles don't contain them. */
const copied = ['node_modules/@vscode/codicons'];

/** Data that is bundled, and belongs to no package. */
const data = [
  {
    name: 'ACP registry, https://github.com/agentclientprotocol/registry, as of 2026-07-24: the list of agents, with the quarantine of 2026-08',
    license: 'Apache-2.0',
    text: 'The text of the Apache License 2.0 is in LICENSE. The agents themselves are not included; they have licences of their own.',
  },
];

/** @throws Error if something bundled has a license that is not in the list, or no license text */
async function renderNotices() {
  const sections = await Promise.all([...(await bundledPackages())].sort().map(renderPackage));
  sections.push(...data.map(({ name, license, text }) => renderSection(`${name} (${license})`, text)));
  return `ACP Host contains the following works of others. The licence of ACP Host itself is in LICENSE.\n\n${sections.join('\n')}`;
}

/** Returns the folders of the packages of which at least one file is in a bundle. */
async function bundledPackages() {
  const folder = path.join(root, 'out/meta');
  /** @type {Set<string>} */
  const found = new Set(copied);
  for (const name of await readdir(folder)) {
    /** @type {import('esbuild').Metafile} */
    const { outputs } = JSON.parse(await readFile(path.join(folder, name), 'utf8'));
    const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
    for (const [input, { bytesInOutput }] of inputs) {
      const home = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input)?.[0];
      if (home !== undefined && bytesInOutput > 0) found.add(home);
    }
  }
  return found;
}

/** @param {string} folder */
async function renderPackage(folder) {
  const { name, version, license } = JSON.parse(await readFile(path.join(root, folder, 'package.json'), 'utf8'));
  if (!compatible.includes(license)) throw new Error(`${name} ${version} is under ${license}, which is not known to fit Apache-2.0`);
  const files = (await readdir(path.join(root, folder))).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file)).sort();
  if (files.length === 0) throw new Error(`${name} ${version} (${license}) comes without its licence's text`);
  const texts = await Promise.all(
    files.map(async (file) => (await readFile(path.join(root, folder, file), 'utf8')).replaceAll('\r\n', '\n').trim()),
  );
  return renderSection(`${name} ${version} (${license})`, texts.join('\n\n'));
}

/**
 * @param {string} title
 * @param {string} text
 */
function renderSection(title, text) {
  return `${'='.repeat(80)}\n${title}\n${'='.repeat(80)}\n\n${text}\n`;
}

const notices = await renderNotices();
if (process.argv.includes('--print')) process.stdout.write(notices);
else await writeFile(path.join(root, 'THIRD-PARTY-NOTICES'), notices);
