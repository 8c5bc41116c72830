import type { PromptView } from '../../contract/view.js';
import { isDeepStrictEqual } from 'node:util';
import type { UserRequest } from '../../core/index.js';
import { promptView, type RequestSurroundings } from './promptView.js';

/** The views of open requests; the same ones, in the same list, as long as the requests and what is around them are the same. */
export function promptViews(): (requests: readonly (readonly [UserRequest, RequestSurroundings])[]) => PromptView[] {
  const known = new WeakMap<UserRequest, { readonly surroundings: RequestSurroundings; readonly view: PromptView }>();
  let last: PromptView[] = [];
  const viewOf = (request: UserRequest, surroundings: RequestSurroundings): PromptView => {
    const before = known.get(request);
    if (before !== undefined && isDeepStrictEqual(before.surroundings, surroundings)) return before.view;
    const view = promptView(request, surroundings);
    known.set(request, { surroundings, view });
    return view;
  };
  return (requests) => {
    const views = requests.map(([request, surroundings]) => viewOf(request, surroundings));
    if (views.length !== last.length || views.some((view, index) => view !== last[index])) last = views;
    return last;
  };
}
