/** What turns changed in the folder, whatever the agent wrote with, and how it is taken back. */
import * as z from 'zod/mini';
import { lastTurn, only } from './events.js';
import { files } from './model/script.js';
import { failed, short, worded } from './outcome.js';
import { converse } from './talk.js';
import { isInHiddenFolder, type Trial } from './trial.js';
import { byAgent, fault, type Verdict, works } from './verdict.js';

/** The folder before. */
const before = {
  'moved.txt': 'moves\n',
  'removed.bin': '\0\u{1}removed',
  'sub/other.txt': 'no newline at the end',
  'generate.sh': 'mkdir -p many\nfor i in $(seq 200); do echo "generated $i" > many/$i.txt; done\n',
} as const;
/** The tools' changes, then those of the shell. */
const edited = [files.existing, files.created] as const;
const reworked = [
  'moved.txt',
  'sub/moved.txt',
  'removed.bin',
  'sub/other.txt',
  ...Array.from({ length: 200 }, (_, i) => `many/${i + 1}.txt`),
];

const changesSchema = z.object({
  turns: z.array(z.object({ files: z.array(z.object({ path: z.string(), from: z.optional(z.string()) })) })),
});
const undoSchema = z.object({ left: z.array(z.object({ path: z.string() })) });

/**
 * Turns with an edit, a new file, a file that is written as a whole, and a shell: what they changed is listed, nothing else is, and all of it
 * can be taken back.
 */
export async function undone(trial: Trial): Promise<Verdict> {
  for (const [name, content] of Object.entries(before)) await trial.write(name, content);
  const first = await trial.everything();
  const run = await converse(trial, ['--permission', 'allow'], 'edit', 'overwrite', 'write', 'rework');
  const [session] = only(run.events, 'session');
  if (session === undefined || only(run.events, 'turn').some((line) => line.phase === 'end' && line.outcome !== 'ended'))
    return failed(run);
  const changed = differing(first, await trial.everything());
  const missing = [...edited, ...reworked].filter((name) => !changed.includes(name));
  const { stdout } = await trial.ofConversation(['changes', session.sessionId, '--format', 'json']);
  const { turns } = changesSchema.parse(JSON.parse(stdout));
  const rows = turns.flatMap((turn) => turn.files).flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]));
  const listed = [...new Set(rows)].filter((name) => !isInHiddenFolder(name)).sort();
  if (listed.join('\n') !== changed.join('\n')) return fault(`changed ${short(changed.join(' '))}, and listed ${short(listed.join(' '))}`);
  const undo = await trial.ofConversation(['undo', session.sessionId, '--all', '--yes', '--format', 'json']);
  const left = undoSchema
    .parse(JSON.parse(undo.stdout))
    .left.map(({ path }) => path)
    .filter((name) => !isInHiddenFolder(name));
  const differs = differing(first, await trial.everything());
  // Its log has lines from between and after the turns, which nobody may remove.
  const logs = differs.filter((name) => name.endsWith('.log'));
  if (differs.length > logs.length) return fault(`not as before: ${short(differs.join(' '))}`);
  if (left.some((name) => !logs.includes(name))) return fault(`left ${left.join(' ')}`);
  if (missing.length > 0) return byAgent(`did not change ${short(missing.join(' '))}; the last turn ${worded(lastTurn(run.events))}`);
  return logs.length > 0 ? byAgent(`writes ${logs.join(' ')} outside of its turns, too`) : works(`${listed.length} files`);
}

type Contents = ReadonlyMap<string, string>;

/** The paths that have another content in the other one, in order. */
function differing(one: Contents, other: Contents): readonly string[] {
  return [...new Set([...one.keys(), ...other.keys()])].filter((name) => one.get(name) !== other.get(name)).sort();
}
