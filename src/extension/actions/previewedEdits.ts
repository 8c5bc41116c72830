/** The tab that shows the edit of a request: it follows the request at the front, and decides about it. */
import type { PendingPrompts } from '../chat/pendingPrompts.js';
import type { EditPreview } from '../editor/editPreview.js';
import type { PageIntent } from '../pages/pageLink.js';

/** Call this when the requests or their files changed. The next request is the oldest one of the same conversation. */
export async function followRequests(pending: PendingPrompts, preview: EditPreview): Promise<void> {
  const { shown } = preview;
  if (shown === undefined) return;
  const same = pending.find(shown.promptId);
  if (same !== undefined) {
    const now = pending.previewOf(shown.promptId, shown.path);
    if (now?.drawn !== shown.drawn || now?.after !== shown.after) await preview.follow(now);
    return;
  }
  const next = pending.all.filter(({ entry }) => entry.id === shown.conversationId).map(({ prompt }) => pending.previewOf(prompt.id));
  await preview.follow(next.find((edit) => edit !== undefined));
}

/** Decides about the request whose edit the tab shows, unless the tab was not visible when the user pressed. */
export function decideEdit(preview: EditPreview, onIntent: (intent: PageIntent) => void, decision: 'allow' | 'reject'): void {
  const edit = preview.decided();
  if (edit?.options === undefined) return;
  const { promptId, drawn, options } = edit;
  const optionId = options[decision];
  if (optionId === undefined) onIntent({ type: 'dismiss', promptId });
  else onIntent({ type: 'select', promptId, optionId, ...(drawn === undefined ? {} : { drawn }) });
}
