/** Adds to the message what the user pastes into it, or drops anywhere on the page. */
import type { PageMessage } from '../../contract/pageMessages.js';
import type { Post } from '../base/hostLink.js';
import type { ComposerModel } from './composerModel.js';

const largestImageBytes = 4 * 1024 * 1024;

/** Says in the model why not all of them were added. */
export function addImages(files: FileList, model: ComposerModel): void {
  const { refused } = model;
  const images = [...files].filter(({ type, size }) => type.startsWith('image/') && size <= largestImageBytes);
  const toMessage = (data: string | undefined): PageMessage | undefined => {
    if (data !== undefined) return { type: 'addImage', data };
    refused.value = "The image can't be read. Copy it again.";
    return undefined;
  };
  refused.value = images.length < files.length ? 'You can add images of up to 4 MB. For other files, type @.' : '';
  for (const image of images) model.attach(readAsUrl(image).then(toMessage));
}

/** @returns undefined if the browser cannot read it */
function readAsUrl(image: File): Promise<string | undefined> {
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.onloadend = () => resolve(typeof reader.result === 'string' ? reader.result : undefined);
    reader.readAsDataURL(image);
  });
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
      else addImages(dataTransfer.files, model);
    });
}
