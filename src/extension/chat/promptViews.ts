import type { PromptView } from '../../contract/view.js';
import { isDeepStrictEqual } from 'node:util';
import type { UserRequest } from '../../core/index.js';
import type { RequestFiles } from '../editor/requestFiles.js';
import { sentences } from '../../text/sentence.js';
import { promptView, type RequestViewInput } from './promptView.js';

export type FilesOfRequests = Pick<RequestFiles, 'revision' | 'textOf'>;

/** What the user has read may not be the case any more. */
const changedText = 'The file has changed since the agent asked.';

interface Known {
  readonly input: RequestViewInput;
  readonly revision: number | undefined;
  readonly view: PromptView;
  /** Of the first view. */
  readonly drawn: string | undefined;
}

const drawnOf = (view: PromptView): string | undefined => (view.kind === 'permission' ? view.drawn : undefined);

/**
 * Maps open requests to views; returns the same views in the same list while the requests, the input for their views and the files are the
 * same.
 * @param files absent if nobody knows them
 */
export function promptViews(files?: FilesOfRequests): (requests: readonly (readonly [UserRequest, RequestViewInput])[]) => PromptView[] {
  const known = new WeakMap<UserRequest, Known>();
  const textIn = files && ((folder: string, path: string) => files.textOf(folder, path));
  let last: PromptView[] = [];
  const viewOf = (request: UserRequest, input: RequestViewInput): PromptView => {
    const before = known.get(request);
    const isSameInput = before !== undefined && isDeepStrictEqual(before.input, input);
    if (isSameInput && before.revision === files?.revision) return before.view;
    const drawnNow = promptView(request, input, textIn);
    const drawn = before === undefined ? drawnOf(drawnNow) : before.drawn;
    const now = drawn === drawnOf(drawnNow) ? drawnNow : { ...drawnNow, note: sentences(drawnNow.note ?? '', changedText) };
    const view = before !== undefined && isDeepStrictEqual(now, before.view) ? before.view : now;
    known.set(request, { input, revision: files?.revision, view, drawn });
    return view;
  };
  return (requests) => {
    const views = requests.map(([request, input]) => viewOf(request, input));
    if (views.length !== last.length || views.some((view, index) => view !== last[index])) last = views;
    return last;
  };
}
