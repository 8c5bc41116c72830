/** Recorded ACP traffic, in the format of test/fixtures. */
import { readFile } from 'node:fs/promises';
import * as z from 'zod/mini';

const line = z.object({
  /** Milliseconds since the agent was started. */
  t: z.number(),
  /** Seen from the host: `out` is what it wrote. */
  dir: z.enum(['in', 'out']),
  frame: z.looseObject({
    id: z.optional(z.nullable(z.union([z.string(), z.number()]))),
    method: z.optional(z.string()),
    params: z.optional(z.looseObject({ sessionId: z.optional(z.string()) })),
    result: z.optional(z.unknown()),
    error: z.optional(z.unknown()),
  }),
});

export type RecordedFrame = z.infer<typeof line>;

export async function readRecording(file: URL): Promise<readonly RecordedFrame[]> {
  const content = await readFile(file, 'utf8');
  return content
    .split('\n')
    .filter((row) => row !== '')
    .map((row) => line.parse(JSON.parse(row)));
}

export function formatRecording(frames: readonly RecordedFrame[]): string {
  return frames.map((frame) => `${JSON.stringify(frame)}\n`).join('');
}
