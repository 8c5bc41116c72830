/** Pages with requests, and what tests do with them. */
import type { PageMessage } from '../../src/contract/pageMessages.js';
import type { PromptView } from '../../src/contract/view.js';
import type { OpenPage, PageHost } from './harness.js';
import { emptyView } from './views.js';

/** The clock is stopped, so that the pause before a decision is possible lasts as long as the test wants. */
export async function openPrompts(host: PageHost, prompts: readonly PromptView[]): Promise<OpenPage> {
  const opened = await host.open({ fakeClock: true, view: emptyView({ prompts: [...prompts] }) });
  await opened.page.getByRole('dialog').waitFor();
  return opened;
}

/** Longer than the pause before a request can be decided. */
export const pass = (opened: OpenPage, milliseconds = 400): Promise<void> => opened.page.clock.runFor(milliseconds);

/** Returns what was decided, after the time that a digit waits for another key. */
export async function decisions(opened: OpenPage): Promise<PageMessage[]> {
  await pass(opened, 300);
  return (await opened.messages()).filter(({ type }) => type === 'select' || type === 'answer' || type === 'decline' || type === 'dismiss');
}
