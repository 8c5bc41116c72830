/**
 * A reporter for `node --test`: one line per test file, everything about a failure, and a closing line
 * `N passed, N failed, N skipped` that scripts/test.mjs adds up.
 */
import { inspect } from 'node:util';
import path from 'node:path';

export default async function* report(events) {
  const totals = { passed: 0, failed: 0, skipped: 0 };
  const files = new Map();
  const fileOf = (data) => {
    const name = path.relative(process.cwd(), data.file ?? data.name);
    if (!files.has(name)) files.set(name, { name, passed: 0, failed: 0, skipped: 0, output: '', last: undefined, failures: [], startedAt: performance.now(), endedAt: 0 });
    return files.get(name);
  };

  for await (const { type, data } of events) {
    switch (type) {
      case 'test:dequeue':
        if (data.nesting === 0) fileOf(data);
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
        file.endedAt = performance.now();
        const outcome = outcomeOf(type, data);
        if (outcome === undefined) break;
        file[outcome] += 1;
        totals[outcome] += 1;
        if (outcome === 'failed') file.failures.push(describeFailure(data, file.last));
        if (outcome === 'skipped') yield `  skipped  ${file.name}: ${data.name}${typeof data.skip === 'string' ? ` (${data.skip})` : ''}\n`;
        file.last = data.name;
        break;
      }
    }
  }
  for (const file of [...files.values()].sort((a, b) => a.name.localeCompare(b.name))) yield describeFile(file);
  yield `${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped\n`;
}

/** Counts tests, not the suites and parents that only hold them. */
function outcomeOf(type, data) {
  const { error, type: kind } = data.details;
  if (type === 'test:fail') return error?.failureType === 'subtestsFailed' ? undefined : 'failed';
  if (kind === 'suite') return undefined;
  return data.skip === undefined ? 'passed' : 'skipped';
}

function describeFailure(data, last) {
  const { error } = data.details;
  const isFile = data.nesting === 0 && path.resolve(data.name) === data.file;
  if (isFile && error?.failureType === 'testTimeoutFailure') return `the file did not end in time; it hung after “${last ?? 'its start'}”`;
  return `${isFile ? 'the file failed' : data.name}\n${inspect(error?.cause ?? error, { depth: 6 })}`;
}

function describeFile(file) {
  const seconds = ((Math.max(file.endedAt, file.startedAt) - file.startedAt) / 1000).toFixed(1);
  const line = `  ${file.failed > 0 ? 'FAILED ' : 'ok     '}  ${file.name}: ${file.passed + file.failed} tests, ${seconds} s\n`;
  if (file.failed === 0) return line;
  const output = file.output.trim() === '' ? '' : `--- output of ${file.name}\n${file.output.trim()}\n---\n`;
  return line + file.failures.map((failure) => `\n✖ ${failure}\n`).join('') + output + '\n';
}
