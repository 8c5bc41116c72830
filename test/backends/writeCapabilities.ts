/** `npm run protocols`: runs the conformance suite for every protocol, and writes what works into docs/protocols.md. */
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';

const suites = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.conformance.test.ts'));
const files = suites.map((name) => path.join(import.meta.dirname, name));
// One after another, because they write to the same page.
const child = spawn(process.execPath, ['--import', 'tsx', '--test', '--test-concurrency=1', ...files], {
  stdio: 'inherit',
  env: { ...process.env, ACP_HOST_WRITE_DOCS: '1' },
});
child.once('close', (code) => {
  process.exitCode = code ?? 1;
});
