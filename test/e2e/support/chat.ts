import type { FrameLocator, Locator } from 'playwright-core';

/** A page of the chat, by the names that screen readers announce. */
export class Chat {
  readonly frame: FrameLocator;

  constructor(frame: FrameLocator) {
    this.frame = frame;
  }

  get message(): Locator {
    return this.frame.getByRole('textbox', { name: 'Message' });
  }

  get conversation(): Locator {
    return this.frame.getByRole('log', { name: 'Conversation' });
  }

  get dialog(): Locator {
    return this.frame.getByRole('dialog');
  }

  button(name: string): Locator {
    return this.frame.getByRole('button', { name, exact: true });
  }

  /** In the composer. What is said of a slow start may have one of the same name. */
  get stop(): Locator {
    return this.frame.getByTitle('Stop this turn', { exact: true });
  }

  async send(text: string): Promise<void> {
    await this.message.fill(text);
    await this.message.press('Enter');
  }

  /** Escape until the dialog is gone: just after it came up, no key decides anything. */
  async dismiss(): Promise<void> {
    await this.dialog.waitFor();
    while (await this.dialog.isVisible()) {
      await this.dialog.press('Escape');
      await this.dialog.waitFor({ state: 'hidden', timeout: 500 }).catch(() => undefined);
    }
  }
}
