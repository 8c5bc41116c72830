import type { FrameLocator, Locator } from 'playwright-core';

/** Bounds the wait for a text in the message box, so that a test fails with what is there. */
const messageMs = 30_000;

/** A page of the chat. Elements are found by their accessible names. */
export class Chat {
  readonly frame: FrameLocator;

  constructor(frame: FrameLocator) {
    this.frame = frame;
  }

  get message(): Locator {
    return this.frame.getByRole('textbox', { name: 'Message' });
  }

  /** What prevents the conversation from continuing. Screen readers hear it too, so its words are twice in the page. */
  get banner(): Locator {
    return this.frame.locator('.banner');
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

  /** The Stop button in the composer. The notice about a slow start may have another one with the same name. */
  get stop(): Locator {
    return this.frame.getByTitle('Stop this turn', { exact: true });
  }

  /** Waits until the message box contains this text. @throws Error with what it contains instead */
  async messageIs(text: string): Promise<void> {
    await this.message.evaluate(
      async (box, { wanted, limitMs }) => {
        const until = performance.now() + limitMs;
        while (!(box instanceof HTMLTextAreaElement) || box.value !== wanted) {
          if (performance.now() > until) throw new Error(`It contains ${JSON.stringify(box instanceof HTMLTextAreaElement && box.value)}`);
          await new Promise(requestAnimationFrame);
        }
      },
      { wanted: text, limitMs: messageMs },
    );
  }

  /** @throws Error if something took the focus meanwhile, such as a question of the workbench: it got the text instead */
  async send(text: string): Promise<void> {
    await this.message.fill(text);
    await this.messageIs(text);
    await this.message.press('Enter');
  }

  /** Presses Escape until the dialog is closed, because it ignores keys for a moment after it opens. */
  async dismiss(): Promise<void> {
    await this.dialog.waitFor();
    while (await this.dialog.isVisible()) {
      await this.dialog.press('Escape');
      await this.dialog.waitFor({ state: 'hidden', timeout: 500 }).catch(() => undefined);
    }
  }
}
