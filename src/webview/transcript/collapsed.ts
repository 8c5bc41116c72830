/** Parts of the conversation that are collapsed: which they are, and how they are expanded, as a click of the user does. */

/** The parts whose text is only in the page, or up to date, while they are expanded. */
const drawnOnDemand = '.tool-body, .thought-body';
const toolBody = 'tool-body';

/** What a walk through the page does about an element. */
export type Visibility = 'visible' | 'collapsed' | 'undrawn' | 'hidden';

/**
 * Returns whether the user sees an element whose parent they see. `undrawn`: it is collapsed, and its text is in the view of its item.
 * Elements say this themselves: computing the style of every element in a long conversation takes seconds.
 */
export function visibilityOf(element: Element): Visibility {
  if (element.classList.contains(toolBody)) return element.hasAttribute('hidden') ? 'undrawn' : 'visible';
  if (element.hasAttribute('hidden')) return 'hidden';
  if (!isInClosedDetails(element)) return 'visible';
  if (element.matches(drawnOnDemand)) return 'undrawn';
  return element.closest('.as-sent') === null ? 'collapsed' : 'hidden';
}

function isInClosedDetails(element: Element): boolean {
  const parent = element.parentElement;
  return parent instanceof HTMLDetailsElement && !parent.open && element.tagName !== 'SUMMARY';
}

/** Returns the button that shows the rest of a tool's output, if only its last lines are visible. */
export function restOfOutput(element: Element): HTMLElement | undefined {
  const block = element.classList.contains('output') ? element.closest('.output-block:not(.all)') : null;
  return block?.querySelector<HTMLElement>('.output-actions:not([hidden]) button') ?? undefined;
}

/** Returns the controls that make `place` visible, outermost first. A button is a place that it makes visible. */
export function expandersOf(place: Node): readonly HTMLElement[] {
  const expanders: (HTMLElement | null)[] = place instanceof HTMLButtonElement ? [place] : [];
  for (let element = place instanceof Element ? place : place.parentElement; element !== null; element = element.parentElement) {
    if (element.matches(`.${toolBody}[hidden]`)) expanders.push(element.parentElement?.querySelector<HTMLElement>('.tool-toggle') ?? null);
    else if (isInClosedDetails(element)) expanders.push(element.parentElement?.querySelector('summary') ?? null);
  }
  return expanders.filter((expander) => expander !== null).reverse();
}

/**
 * Resolves after the frame in which the page draws what it shows then, and follows it to the end of the conversation if the user is there.
 */
export async function expand(expanders: readonly HTMLElement[]): Promise<void> {
  for (const expander of expanders) {
    const details = expander.parentElement;
    const toggled =
      details instanceof HTMLDetailsElement && new Promise((resolve) => details.addEventListener('toggle', resolve, { once: true }));
    expander.click();
    await toggled;
    const rest = expander.closest('.tool')?.querySelectorAll<HTMLElement>('.diff-lines > button') ?? [];
    for (const button of rest) button.click();
  }
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}
