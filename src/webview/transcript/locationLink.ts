import type { LocationView } from '../../contract/viewParts.js';
import { linkElement } from '../markdown/linkClicks.js';

/** Opens the file in the editor. */
export function locationLink({ path, line }: LocationView, ...content: readonly (Node | string)[]): HTMLElement {
  return linkElement(line === undefined ? { type: 'openLocation', path } : { type: 'openLocation', path, line }, ...content);
}
