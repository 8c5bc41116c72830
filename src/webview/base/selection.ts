/**
 * What the user has selected. Asking the document for it makes the browser lay out the page, which would happen for each of thousands of
 * updates; so it is asked only when it has changed.
 */
let selected: Range | undefined;

/** Call this once for the page. */
export function watchSelection(): void {
  document.addEventListener('selectionchange', () => {
    const selection = document.getSelection();
    selected = selection === null || selection.rangeCount === 0 ? undefined : selection.getRangeAt(0);
  });
}

/** Whether a part of the element is selected. */
export function isSelectedIn(element: Element): boolean {
  return selected !== undefined && !selected.collapsed && selected.intersectsNode(element);
}
