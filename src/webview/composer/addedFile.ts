/** Reads a file that the user pasted, or dropped from another program, which does not say where the file is. */
import type { PageMessage } from '../../contract/pageMessages.js';

const largestImageBytes = 4 * 1024 * 1024;
const largestTextBytes = 256 * 1024;

/** Never rejects. @returns why the file can't be added, if it can't */
export async function readAdded(file: File): Promise<PageMessage | string> {
  try {
    const refused = 'You can add images of up to 4 MB and texts of up to 256 KB. Copy other files into the folder, and type @.';
    return (await read(file)) ?? refused;
  } catch {
    return "The file can't be read. To add a folder, choose Add Files to Chat in the context menu of the Explorer.";
  }
}

/**
 * @returns undefined for a file that is neither a picture nor a text, or too large
 * @throws DOMException if the browser can't read it, for example because it is a folder
 */
async function read(file: File): Promise<PageMessage | undefined> {
  const { type, size, name } = file;
  // An SVG is text, and no agent takes it as a picture.
  if (type.startsWith('image/') && !type.startsWith('image/svg'))
    return size > largestImageBytes ? undefined : { type: 'addImage', data: await readAsUrl(file) };
  if (size > largestTextBytes) return undefined;
  const text = decode(await file.arrayBuffer());
  return text === undefined ? undefined : { type: 'addText', text, name };
}

function readAsUrl(image: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onloadend = () => (typeof reader.result === 'string' ? resolve(reader.result) : reject(reader.error ?? new Error('unreadable')));
    reader.readAsDataURL(image);
  });
}

/** @returns undefined for bytes that are no text */
function decode(bytes: ArrayBuffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') || text.startsWith('%PDF-') ? undefined : text;
  } catch {
    return undefined;
  }
}
