/** The size of ACP Host before its first use, read from the last build. */
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import * as z from 'zod/mini';

const root = path.resolve(import.meta.dirname, '../..');
/** The folder of the last build. */
export const dist = path.join(root, 'dist');
const probeSchema = z.object({ loadMs: z.number(), activateMs: z.number(), loaded: z.array(z.string()), started: z.array(z.unknown()) });

/** Loads and activates the extension in a fresh process, since Node caches what it loaded. */
export function probeActivation(): z.infer<typeof probeSchema> {
  const output = execFileSync(
    process.execPath,
    [path.join(import.meta.dirname, 'activationProbe.cjs'), path.join(root, 'dist/extension.cjs')],
    { encoding: 'utf8' },
  );
  return probeSchema.parse(JSON.parse(output));
}

const metafileSchema = z.object({
  outputs: z.record(
    z.string(),
    z.object({
      inputs: z.record(z.string(), z.unknown()),
      imports: z.array(z.object({ path: z.string(), kind: z.string() })),
    }),
  ),
});

interface PageWeight {
  /** The page's script with every chunk that it loads at once; a chunk behind `import()` is not among them. */
  readonly gzipBytes: number;
  /** The source files in these. */
  readonly inputs: readonly string[];
  /** With the chunk that draws Markdown, which a page with an answer loads as well. */
  readonly withMarkdownGzipBytes: number;
}

export function weighPage(): PageWeight {
  const { outputs } = metafileSchema.parse(JSON.parse(readFileSync(path.join(root, 'out/meta/webview.json'), 'utf8')));
  const loadedBy = (...entries: readonly string[]): readonly string[] => {
    const found = new Set(entries);
    for (const file of found) {
      for (const next of outputs[file]?.imports ?? []) if (next.kind === 'import-statement') found.add(next.path);
    }
    return [...found];
  };
  const weigh = (files: readonly string[]): number =>
    files.reduce((sum, file) => sum + gzipSync(readFileSync(path.join(root, file))).length, 0);
  const page = 'dist/webview/page.js';
  const markdown = Object.keys(outputs).filter((file) => /streamView-\w+\.js$/.test(file));
  const atOnce = loadedBy(page);
  return {
    gzipBytes: weigh(atOnce),
    inputs: atOnce.flatMap((file) => Object.keys(outputs[file]?.inputs ?? {})),
    withMarkdownGzipBytes: weigh(loadedBy(page, ...markdown)),
  };
}

/** Of the bundle that activation loads. */
export function extensionBytes(): number {
  return statSync(path.join(root, 'dist/extension.cjs')).size;
}

export const limits = {
  requireMs: 8,
  activateMs: 8,
  extensionBytes: 100_000,
  pageGzipBytes: 58_300,
  pageWithMarkdownGzipBytes: 80_350,
} as const;
