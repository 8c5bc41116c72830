/** A real workbench with the packaged extension, in a real browser. */
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { BrowserContext, FrameLocator, Locator, Page } from 'playwright-core';
import { type Process, stillAlive } from '../../../scripts/processes.mjs';
import { untilDone } from './browser.js';
import { Chat } from './chat.js';
import { ConversationRows } from './conversationRows.js';
import { root, serve, type Served, stepMs, type WorkbenchOptions } from './serve.js';

export { root, withTypeScript } from './serve.js';

const extensionId = 'acp-host.acp-host';
const screenshots = path.join(root, 'out/screenshots');

export class Workbench {
  readonly page: Page;
  readonly rows: ConversationRows;
  /** The workspace, absolute. */
  readonly folder: string;
  readonly #served: Served;
  readonly #context: BrowserContext;
  readonly #stop: () => Promise<void>;

  private constructor(page: Page, context: BrowserContext, served: Served, stop: () => Promise<void>) {
    this.page = page;
    this.rows = new ConversationRows(page, stepMs);
    this.folder = served.folder;
    this.#context = context;
    this.#served = served;
    this.#stop = stop;
  }

  static async open(options: WorkbenchOptions = {}): Promise<Workbench> {
    const served = await serve(options);
    return Workbench.#show(await served.newContext(), served, served.stop);
  }

  static async #show(context: BrowserContext, served: Served, stop: () => Promise<void>): Promise<Workbench> {
    const page = await context.newPage();
    await page.goto(served.url);
    const workbench = new Workbench(page, context, served, stop);
    await workbench.status.waitFor();
    return workbench;
  }

  /** Opens another window on the same folder. `other browser`: a window without the stored data of this one. Close it before this one. */
  async window(where: 'same browser' | 'other browser'): Promise<Workbench> {
    if (where === 'same browser') return Workbench.#show(this.#context, this.#served, () => Promise.resolve());
    const context = await this.#served.newContext();
    return Workbench.#show(context, this.#served, () => context.close());
  }

  /** Crashes the browser page, as when the connection is lost. The extension host of this window keeps running and waits for it. */
  async crash(): Promise<void> {
    const crashed = this.page.waitForEvent('crash');
    const browser = await this.#context.newCDPSession(this.page);
    // A crashed page does not answer.
    void browser.send('Page.crash').catch(() => undefined);
    await crashed;
    await this.page.close();
  }

  get status(): Locator {
    return this.page.locator('.part.statusbar [id="acp-host.acp-host.acpHost.status"]');
  }

  /**
   * Waits for the page in a part of the workbench. Webviews float above the parts without a reference to them, so the page is found by its
   * position. A webview that is shown again has a new frame, so call this again then.
   */
  async pageIn(part: 'sidebar' | 'editor'): Promise<Chat> {
    const found = await this.page.waitForFunction(
      ({ selector, extension }) => {
        const area = document.querySelector(selector)?.getBoundingClientRect();
        const frames = [...document.querySelectorAll<HTMLIFrameElement>(`iframe.webview.ready[src*="extensionId=${extension}&"]`)];
        return frames.find((frame) => {
          const { x, y, width, height } = frame.getBoundingClientRect();
          const [left, top] = [x + width / 2, y + height / 2];
          return (
            area !== undefined &&
            width > 0 &&
            frame.checkVisibility({ visibilityProperty: true }) &&
            left > area.left &&
            left < area.right &&
            top > area.top &&
            top < area.bottom
          );
        })?.name;
      },
      { selector: `.part.${part}`, extension: extensionId },
    );
    return new Chat(
      this.page
        .locator(`iframe[name="${await found.jsonValue()}"]`)
        .contentFrame()
        .locator('#active-frame')
        .contentFrame(),
    );
  }

  /** Waits until the tab with this name is active, and returns its page. */
  async pageOfTab(name: string): Promise<Chat> {
    await this.page.getByRole('tab', { name, selected: true }).waitFor();
    return this.pageIn('editor');
  }

  /** Waits until the tab has an icon whose path contains this. */
  async tabLooks(name: RegExp, icon: string): Promise<void> {
    const tab = this.page.locator('.tabs-container').getByRole('tab', { name });
    await tab.locator(`.monaco-icon-label-iconpath[style*="${icon}"]`).waitFor();
  }

  get quickInput(): Locator {
    return this.page.locator('.quick-input-widget:visible');
  }

  /** Waits for a status bar item with this accessible name. */
  async statusSays(words: RegExp): Promise<void> {
    await this.page.locator('.part.statusbar').getByRole('button', { name: words }).waitFor();
  }

  get promptTab(): Locator {
    return this.page.locator('.tabs-container').getByRole('tab', { name: /Pending Requests/ });
  }

  /** The text of the visible terminal. */
  get terminal(): Locator {
    return this.page.locator('.xterm-rows').filter({ visible: true });
  }

  /** Opens a text file, and waits until it has the keyboard focus: otherwise, it would take the focus from what is used next. */
  async openFile(name: string): Promise<void> {
    await this.#quickAccess(name, name);
    await this.page.getByRole('tab', { name }).waitFor();
    await this.page.locator('.part.editor .monaco-editor.focused').waitFor();
  }

  /** Runs a command from the Command Palette. Opens it again if it lost the focus, for example to a page that was just shown. */
  async command(title: string): Promise<void> {
    // Matches the whole title, because others may begin with it. The keybinding and the time of its last use follow.
    await this.#quickAccess(`>${title}`, new RegExp(`^${title.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}(,|$)`));
  }

  /** Presses keys, one after the other, wherever the keyboard focus is. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  #quickAccess(text: string, row: string | RegExp): Promise<void> {
    return untilDone(stepMs, async () => {
      await this.page.keyboard.press('F1');
      await this.quickInput.locator('input').first().fill(text, { timeout: 2_000 });
      const option = this.quickInput.getByRole('option', { name: row }).first();
      await option.waitFor({ timeout: 5_000 });
      // One event, because a page that takes the focus between the parts of a real click closes the list, and nothing runs.
      await option.dispatchEvent('click', undefined, { timeout: 1_000 });
    });
  }

  /** Shows the chat in the side bar. */
  async openChat(): Promise<Chat> {
    await this.command('ACP Host: Open Chat');
    const chat = await this.pageIn('sidebar');
    await chat.message.waitFor();
    return chat;
  }

  row(name: RegExp): Locator {
    return this.rows.at(name);
  }

  /** Begins an empty conversation in the side bar, and waits until its composer has the keyboard focus. */
  async newSession(): Promise<Chat> {
    await this.openChat();
    await this.command('ACP Host: New Conversation');
    const chat = await this.pageIn('sidebar');
    await untilEmpty(chat.frame);
    await chat.frame.locator('textarea:focus').waitFor();
    return chat;
  }

  /** Chooses the color theme. Opens the list again if it lost the focus. */
  theme(label: string): Promise<void> {
    return untilDone(stepMs, async () => {
      await this.command('Preferences: Color Theme');
      await this.quickInput.getByPlaceholder(/Select Color Theme/).fill(label, { timeout: 5_000 });
      await this.quickInput.getByRole('option', { name: label }).first().click({ timeout: 5_000 });
    });
  }

  /** Chooses a row of the quick pick, which may open a moment later. */
  async pick(row: string): Promise<void> {
    await this.quickInput.getByRole('option', { name: row }).first().click();
  }

  /** Chooses an entry of the context menu that is open. Again if the menu is still there: VS Code ignores a click just after it opened. */
  fromMenu(entry: string): Promise<void> {
    const item = this.page.getByRole('menuitem', { name: entry });
    return untilDone(stepMs, async () => {
      await item.click({ timeout: 5_000 });
      await item.waitFor({ state: 'hidden', timeout: 2_000 });
    });
  }

  /** Begins an empty conversation with this agent in the side bar. What is written before its page is there goes to the agent before. */
  async withAgent(label: string, by: 'New Conversation with Agent…' | 'Select Agent' = 'New Conversation with Agent…'): Promise<Chat> {
    await this.command(`ACP Host: ${by}`);
    await this.pick(label);
    const { frame } = await this.pageIn('sidebar');
    const [first, header] = [
      frame.getByText(`What should ${label} do?`),
      frame.getByRole('button', { name: `${label}: choose the agent` }),
    ];
    // A low window has no place for the words of the first page.
    await first.or(header).first().waitFor();
    await untilEmpty(frame);
    return this.pageIn('sidebar');
  }

  /** Fills in the input box with this title and accepts it. */
  async answer(title: string, text: string): Promise<void> {
    await this.quickInput.getByText(title).waitFor();
    await this.quickInput.locator('input').last().fill(text);
    await this.page.keyboard.press('Enter');
    await this.quickInput.getByText(title).waitFor({ state: 'hidden' });
  }

  /** Adds a second editor group, in which the panel for requests may open. The first one stays in use. */
  async splitEditor(): Promise<void> {
    await this.command('View: New Editor Group to the Right');
    await this.command('View: Focus First Editor Group');
  }

  async closePromptPanel(): Promise<void> {
    await this.closeTab(/Pending Requests/);
  }

  async toggleSideBar(): Promise<void> {
    await this.page.keyboard.press('Control+b');
  }

  /**
   * Shows the hidden side bar.
   * @param row the beginning of the accessible name of a row of a tree
   * @returns the time until that row was visible, in milliseconds
   */
  async timeUntilShown(row: string): Promise<number> {
    const handle = await this.page.evaluateHandle((label) => {
      const begin = performance.now();
      return {
        shown: new Promise<number>((resolve) => {
          const look = (): void => {
            const found = document.querySelector(`.part.sidebar [role="treeitem"][aria-label^="${label}"]`);
            if (found?.checkVisibility({ visibilityProperty: true }) === true) resolve(performance.now() - begin);
            else requestAnimationFrame(look);
          };
          look();
        }),
      };
    }, row);
    await this.page.keyboard.press('Control+b');
    return handle.evaluate(({ shown }) => shown);
  }

  /** Takes a picture without the traces of the test: where the pointer is, and where it clicked. @param file absolute */
  async picture(file: string): Promise<void> {
    const { width, height } = this.page.viewportSize() ?? { width: 0, height: 0 };
    await this.page.mouse.move(width - 200, height - 40);
    await this.page.locator('.workbench-hover-container').waitFor({ state: 'hidden' });
    // A click scrolls the frame of a page into view, by the few pixels for letters below its line.
    await this.page.evaluate(() =>
      document.querySelectorAll('iframe.webview').forEach(({ parentElement }) => parentElement?.scrollTo(0, 0)),
    );
    await this.page.screenshot({ path: file, animations: 'disabled' });
  }

  async screenshot(name: string): Promise<void> {
    await mkdir(screenshots, { recursive: true });
    await this.page.screenshot({ path: path.join(screenshots, `${name}.png`) });
  }

  /** Selects the text of this line of the editor. Tries again if a page that was just shown takes the focus. */
  async selectLine(line: Locator): Promise<void> {
    const selected = this.page.locator('.part.statusbar').getByRole('button', { name: /\(\d+ selected\)/ });
    const deadline = Date.now() + stepMs;
    for (;;) {
      await line.click();
      await this.page.keyboard.press('Home');
      await this.page.keyboard.press('Shift+End');
      try {
        await selected.waitFor({ timeout: 2_000 });
        return;
      } catch (error) {
        if (Date.now() > deadline) throw error;
      }
    }
  }

  /** Closes the tab of an editor with its Close button. */
  async closeTab(name: RegExp): Promise<void> {
    const tab = this.page.locator('.tabs-container').getByRole('tab', { name });
    await tab.hover();
    await tab.getByRole('button', { name: /^Close/ }).click();
    await tab.waitFor({ state: 'detached' });
  }

  async reload(): Promise<void> {
    const loaded = this.page.waitForEvent('load');
    await this.command('Developer: Reload Window');
    await loaded;
    await this.status.waitFor();
  }

  /** Returns the processes of this workbench and of its engine whose command line matches. */
  async processes(command: RegExp): Promise<readonly Process[]> {
    return (await this.#served.processes()).filter((one) => command.test(one.command));
  }

  /** Kills the only process whose command line matches. */
  async kill(command: RegExp): Promise<void> {
    const [found, ...others] = await this.processes(command);
    assert.ok(
      found !== undefined && others.length === 0,
      `expected one process that matches ${command}, not ${[found, ...others].map((one) => one?.command).join('; ')}`,
    );
    process.kill(found.pid, 'SIGKILL');
  }

  /** Waits until none of the processes is running, even without their parents. */
  async gone(processes: readonly Process[]): Promise<void> {
    const deadline = Date.now() + stepMs;
    while ((await stillAlive(processes)).length > 0)
      assert.ok(Date.now() < deadline, `still running: ${processes.map(({ command }) => command).join('; ')}`);
  }

  /** Closes the window. Closing the first one ends the workbench. */
  async close(): Promise<void> {
    await this.page.close();
    await this.#stop();
    assert.deepEqual(this.#served.foreign, [], 'requests left the machine');
  }
}

/** Waits until the page no longer shows the conversation before, whose message box may have the focus, and whose agent may be the same. */
function untilEmpty(frame: FrameLocator): Promise<void> {
  return frame.locator('.item').first().waitFor({ state: 'hidden' });
}
