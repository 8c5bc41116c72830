/** Adds to the message what the user pastes into it, or drops anywhere on the page. */
import type { Post } from '../base/hostLink.js';
import type { ComposerModel } from './composerModel.js';

/** Says in the model why not all of them were added. */
export function addFiles(files: FileList, model: ComposerModel): void {
  model.refused.value = '';
  // A chunk of its own, because few messages get a file in this way.
  for (const file of files) model.attach(import('./addedFile.js').then(({ readAdded }) => readAdded(file), reportError));
}

/** What VS Code drags from its lists and tabs. Other programs drag the files themselves, without their paths. */
const uriList = 'application/vnd.code.uri-list';

/** While something is over the page that can be dropped, the page has the class `drop`. */
export function listenForDrops(model: ComposerModel, post: Post): void {
  // Where the pointer leaves one element and is over another one, both are told before anything is drawn.
  for (const kind of ['dragover', 'dragleave', 'drop'] as const)
    window.addEventListener(kind, (event) => {
      const { dataTransfer } = event;
      if (!dataTransfer?.types.some((type) => type === uriList || type === 'Files')) return;
      event.preventDefault();
      document.body.classList.toggle('drop', kind === 'dragover');
      if (kind !== 'drop') return;
      model.refused.value = '';
      // A line that begins with # is a comment.
      const uris = dataTransfer.getData(uriList).match(/^[^#\s].+/gm);
      if (uris) post({ type: 'addDropped', uris });
      else addFiles(dataTransfer.files, model);
    });
}
