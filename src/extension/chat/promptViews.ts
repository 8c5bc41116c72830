import type { PromptView } from '../../contract/view.js';
import { isDeepStrictEqual } from 'node:util';
import type { UserRequest } from '../../core/index.js';
import { promptView, type RequestViewInput } from './promptView.js';

/** Maps open requests to views; returns the same views in the same list while the requests and the input for their views are the same. */
export function promptViews(): (requests: readonly (readonly [UserRequest, RequestViewInput])[]) => PromptView[] {
  const known = new WeakMap<UserRequest, { readonly input: RequestViewInput; readonly view: PromptView }>();
  let last: PromptView[] = [];
  const viewOf = (request: UserRequest, input: RequestViewInput): PromptView => {
    const before = known.get(request);
    if (before !== undefined && isDeepStrictEqual(before.input, input)) return before.view;
    const view = promptView(request, input);
    known.set(request, { input, view });
    return view;
  };
  return (requests) => {
    const views = requests.map(([request, input]) => viewOf(request, input));
    if (views.length !== last.length || views.some((view, index) => view !== last[index])) last = views;
    return last;
  };
}
