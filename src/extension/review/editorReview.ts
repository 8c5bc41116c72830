/** Reviewing in the files themselves: lenses and commands for each hunk, and comments. */
import type * as vscode from 'vscode';
import { DisposableStore } from '../../core/index.js';
import { FilesToReview, type FilesToReviewParts } from './filesToReview.js';
import { createHunkActions, type HunkActionParts, type HunkActions } from './hunkActions.js';
import { createHunkLenses } from './hunkLenses.js';
import { createLineHovers, type LineHoverParts } from './lineHovers.js';
import { createReviewComments, type ReviewComments, type ReviewCommentsParts } from './reviewComments.js';

export interface EditorReviewParts
  extends Omit<FilesToReviewParts, 'engine'>,
    LineHoverParts,
    Omit<HunkActionParts, 'files'>,
    Pick<ReviewCommentsParts, 'agentOf' | 'nameOf'> {
  /** Whether a file has lenses. */
  showsLenses(uri: vscode.Uri): boolean;
}

export interface EditorReview extends HunkActions, ReviewComments {
  /** Call this when `showsLenses` may have changed. */
  refreshLenses(): void;
}

export function createEditorReview(parts: EditorReviewParts): EditorReview {
  const store = new DisposableStore();
  const files = new FilesToReview(parts);
  const lenses = store.add(createHunkLenses(files, (uri) => parts.showsLenses(uri)));
  store.add(createLineHovers(parts));
  const comments = store.add(createReviewComments({ ...parts, files }));
  const actions = store.add(createHunkActions({ ...parts, files }));
  store.add(parts.conversations.onChange(comments.draw));
  comments.draw();
  return { ...actions, ...comments, refreshLenses: lenses.refresh, dispose: () => store.dispose() };
}
