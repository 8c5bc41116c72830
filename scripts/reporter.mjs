/**
 * A reporter for `node --test`: one line per test file, everything about a failure, and a closing line
 * `all of it: N passed, N failed, N skipped` that scripts/test.mjs adds up.
 */
import { inspect } from 'node:util';
import path from 'node:path';
import { sourceOfBundle } from './testBundles.mjs';

/**
 * @typedef {import('node:test').EventData.TestPass | import('node:test').EventData.TestFail} Outcome
 * @typedef {'passed' | 'failed' | 'skipped'} Count
 * @typedef {Record<Count, number> & {name: string, output: string, last: string | undefined, failures: string[], skips: string[], startedAt: number, endedAt: number}} TestFile
 */

/** @param {AsyncIterable<import('node:test/reporters').TestEvent>} events */
export default async function* report(events) {
  const totals = { passed: 0, failed: 0, skipped: 0 };
  /** @type {Map<string, TestFile>} */
  const files = new Map();
  const fileOf = (/** @type {{file?: string, name?: string}} */ data) => {
    const name = path.relative(process.cwd(), sourceOfBundle(path.resolve(data.file ?? data.name ?? '')));
    const file = files.get(name) ?? {
      name,
      passed: 0,
      failed: 0,
      skipped: 0,
      output: '',
      last: undefined,
      failures: [],
      skips: [],
      startedAt: performance.now(),
      endedAt: 0,
    };
    files.set(name, file);
    return file;
  };

  /** @type {TestFile | undefined} */
  let current;
  for await (const { type, data } of events) {
    switch (type) {
      case 'test:dequeue':
        if (isWholeFile(data)) fileOf(data);
        break;
      case 'test:complete':
        if (isWholeFile(data)) fileOf(data).endedAt = performance.now();
        break;
      case 'test:stdout':
      case 'test:stderr': {
        const file = fileOf(data);
        file.output = (file.output + data.message).slice(-8_000);
        break;
      }
      case 'test:pass':
      case 'test:fail': {
        const file = fileOf(data);
        // Node reports the results of one file after the other, whatever runs in parallel.
        if (current !== undefined && current !== file) yield describeFile(current);
        current = file;
        const outcome = outcomeOf(data);
        if (outcome === undefined) break;
        file[outcome] += 1;
        totals[outcome] += 1;
        if (outcome === 'failed') file.failures.push(describeFailure(data, file.last));
        if (outcome === 'skipped') file.skips.push(`  skipped  ${data.name}${typeof data.skip === 'string' ? ` (${data.skip})` : ''}\n`);
        file.last = data.name;
        break;
      }
    }
  }
  if (current !== undefined) yield describeFile(current);
  yield `  all of it: ${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped\n`;
}

/** @param {{nesting: number, name: string, file?: string}} data */
function isWholeFile({ nesting, name, file }) {
  return nesting === 0 && path.resolve(name) === file;
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
  const isFile = isWholeFile(data);
  if (isFile && failure?.type === 'testTimeoutFailure') return `the file did not end in time; it hung after “${last ?? 'its start'}”`;
  return `${isFile ? 'the file failed' : data.name}\n${inspect(failure?.cause, { depth: 6 })}`;
}

/** @param {TestFile} file */
function describeFile(file) {
  const seconds = Math.max(0, (file.endedAt - file.startedAt) / 1000).toFixed(1);
  const line = `  ${file.failed > 0 ? 'FAILED ' : 'ok     '}  ${file.name}: ${file.passed + file.failed} tests, ${seconds} s\n${file.skips.join('')}`;
  if (file.failed === 0) return line;
  const output = file.output.trim() === '' ? '' : `--- output of ${file.name}\n${file.output.trim()}\n---\n`;
  return line + file.failures.map((failure) => `\n✖ ${failure}\n`).join('') + output + '\n';
}
