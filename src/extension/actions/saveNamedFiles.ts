/** Before a message is sent: what becomes of the unsaved text of the files that it names. */
import { type ContentBlock, HostError, stripControls } from '../../core/index.js';
import { counted } from '../../text/sentence.js';
import { saveAll, type UnsavedFile, unsavedIn } from '../editor/openTexts.js';
import type { SaveBeforePrompt } from '../window/settings.js';
import type { choose } from '../window/windowMessages.js';

const labels = { save: 'Save and Send', send: 'Send Anyway' } as const;

/**
 * Saves the files that a message names and that have unsaved changes, if the user wants that: most agents read the files on disk.
 * @returns whether to send the message
 * @throws HostError `usage` if a file could not be saved
 */
export async function saveNamedFiles(content: readonly ContentBlock[], how: SaveBeforePrompt, ask: typeof choose): Promise<boolean> {
  const files = how === 'off' ? [] : await unsavedIn(content.flatMap(urisOf));
  if (files.length === 0) return true;
  const which = namesOf(files);
  if (how === 'ask') {
    const [have, them] = files.length === 1 ? ['has', 'the file'] : ['have', 'the files'];
    const detail = `An agent that reads ${them} on disk doesn't see these changes.`;
    const choice = await ask(`${which} ${have} unsaved changes`, detail, labels.save, labels.send);
    if (choice !== labels.save) return choice === labels.send;
  }
  const failed = await saveAll(files);
  if (failed.length === 0) return true;
  throw new HostError('usage', { detail: `${namesOf(failed)} couldn't be saved, so the message was not sent` });
}

function urisOf(block: ContentBlock): readonly string[] {
  const uri = block.type === 'resource' ? block.resource.uri : 'uri' in block ? block.uri : undefined;
  return uri == null ? [] : [uri];
}

/** Names one or two files, and counts more. */
function namesOf(files: readonly UnsavedFile[]): string {
  const [one, other] = files.map(({ name }) => stripControls(name));
  return files.length > 2 ? counted(files.length, 'file') : [one, other].filter((name) => name !== undefined).join(' and ');
}
