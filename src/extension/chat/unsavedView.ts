/** What agents changed under unsaved text, as the chat draws it above the message box. Pure. */
import { join } from 'node:path';
import type { LineView } from '../../contract/view.js';
import { type ConversationState, stripControls } from '../../core/index.js';
import { counted } from '../../text/sentence.js';
import { buttons } from '../advice/buttons.js';
import type { ChangedUnderText } from '../editor/unsavedTexts.js';

/** Returns those of the files that turns of the conversation changed since the user began to change their text. */
export function changedUnderText({ changes, cwd }: ConversationState, all: readonly ChangedUnderText[]): readonly ChangedUnderText[] {
  return all.filter(({ names, since }) =>
    changes.some(({ kind, at, files }) => kind !== 'undo' && at >= since && files.some(({ path }) => names.includes(join(cwd, path)))),
  );
}

/** Returns null if there is none. */
export function unsavedView(files: readonly ChangedUnderText[]): LineView | null {
  const [first] = files;
  if (first === undefined) return null;
  const isOne = files.length === 1;
  const what = isOne ? stripControls(first.path.replace(/^.*[\\/]/, '')) : counted(files.length, 'file');
  return { text: `${what} ${isOne ? 'was' : 'were'} changed under your unsaved text`, buttons: [buttons.compareUnsaved] };
}
