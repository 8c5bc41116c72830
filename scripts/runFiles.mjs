/**
 * `node scripts/runFiles.mjs AT_ONCE TIMEOUT_MS FILE…`: runs test files in this order, each in its own process, some at the same time.
 * Prints one line per file when it ends, everything about a failure, and a closing line `all of it: N passed, N failed, N skipped` that
 * scripts/test.mjs adds up. (`node --test` sorts the files, so that the longest may run last and alone.) In CI, whose machines are busy,
 * a file that failed runs once more at the end, alone, and the line before the last names it.
 */
import { setMaxListeners } from 'node:events';
import path from 'node:path';
import { run } from 'node:test';
import { inspect } from 'node:util';
import { sourceOfBundle } from './testBundles.mjs';

/**
 * @typedef {import('node:test').EventData.TestPass | import('node:test').EventData.TestFail} Outcome
 * @typedef {'passed' | 'failed' | 'skipped'} Count
 * @typedef {Record<Count, number> & {text: string}} Report
 */

/** How much of what a failed file printed is shown, in characters. */
const outputChars = 8_000;

/**
 * @param {string} file
 * @returns {string} the test file from the project's folder
 */
const nameOf = (file) => path.relative(process.cwd(), sourceOfBundle(path.resolve(file)));

/**
 * Runs one file.
 * @param {string} file
 * @param {{timeout: number, signal: AbortSignal}} options
 * @returns {Promise<Report>}
 */
async function runFile(file, options) {
  const name = nameOf(file);
  const startedAt = performance.now();
  const counts = { passed: 0, failed: 0, skipped: 0 };
  /** @type {string[]} */
  const failures = [];
  /** @type {string[]} */
  const skips = [];
  let output = '';
  /** @type {string | undefined} */
  let last;
  for await (const { type, data } of run({ files: [file], concurrency: 1, ...options })) {
    if (type === 'test:stdout' || type === 'test:stderr') output = (output + data.message).slice(-outputChars);
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const outcome = outcomeOf(data);
    if (outcome === undefined) continue;
    counts[outcome] += 1;
    if (outcome === 'failed') failures.push(describeFailure(data, last));
    if (outcome === 'skipped') skips.push(`  skipped  ${data.name}${typeof data.skip === 'string' ? ` (${data.skip})` : ''}\n`);
    last = data.name;
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const line = `  ${counts.failed > 0 ? 'FAILED ' : 'ok     '}  ${name}: ${counts.passed + counts.failed} tests, ${seconds} s\n${skips.join('')}`;
  if (counts.failed === 0) return { ...counts, text: line };
  const printed = output.trim() === '' ? '' : `--- output of ${name}\n${output.trim()}\n---\n`;
  return { ...counts, text: `${line}${failures.map((failure) => `\n✖ ${failure}\n`).join('')}${printed}\n` };
}

/**
 * Counts tests, but not the suites and parents that only contain them.
 * @param {Outcome} data
 * @returns {Count | undefined}
 */
function outcomeOf(data) {
  const failure = failureOf(data);
  if (failure !== undefined) return failure.type === 'subtestsFailed' ? undefined : 'failed';
  if (data.details.type === 'suite') return undefined;
  return data.skip === undefined ? 'passed' : 'skipped';
}

/** @param {Outcome} data */
function failureOf({ details }) {
  if (!('error' in details)) return undefined;
  const { error } = details;
  return { type: 'failureType' in error ? error.failureType : undefined, cause: error.cause ?? error };
}

/**
 * @param {Outcome} data
 * @param {string | undefined} last the test that ended before it
 */
function describeFailure(data, last) {
  const failure = failureOf(data);
  const isFile = data.nesting === 0 && path.resolve(data.name) === data.file;
  if (isFile && failure?.type === 'testTimeoutFailure') return `the file did not end in time; it hung after “${last ?? 'its start'}”`;
  return `${isFile ? 'the file failed' : data.name}\n${inspect(failure?.cause, { depth: 6 })}`;
}

const [atOnce, timeout, ...files] = process.argv.slice(2);
const stop = new AbortController();
// Each file that runs listens, and Node takes more than ten for a leak.
setMaxListeners(2 * Number(atOnce), stop.signal);
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => stop.abort());
/** If more files failed, the machine is not the reason. */
const mostAgain = process.env.CI === 'true' ? 4 : 0;
/** @type {Map<string, Record<Count, number>>} */
const counted = new Map();
/** @param {string} file */
const runAndCount = async (file) => {
  const { text, ...counts } = await runFile(file, { timeout: Number(timeout), signal: stop.signal });
  counted.set(file, counts);
  process.stdout.write(text);
};
const waiting = files.values();
const runWaiting = async () => {
  for (const file of waiting) await runAndCount(file);
};
await Promise.all(Array.from({ length: Number(atOnce) }, runWaiting));
const failed = files.filter((file) => counted.get(file)?.failed !== 0);
const again = failed.length > mostAgain || stop.signal.aborted ? [] : failed;
for (const file of again) await runAndCount(file);
if (again.length > 0) process.stdout.write(`  ran twice: ${again.map(nameOf).join(', ')}\n`);
const total = { passed: 0, failed: 0, skipped: 0 };
for (const counts of counted.values()) {
  total.passed += counts.passed;
  total.failed += counts.failed;
  total.skipped += counts.skipped;
}
process.stdout.write(`  all of it: ${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`);
