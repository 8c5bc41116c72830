/** A real workbench with the packaged extension, in a real browser, on 127.0.0.1 only. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import * as z from 'zod/mini';
import { descendantsOf, endTree, listProcesses, type Process, stillAlive } from '../../../scripts/processes.mjs';
import { installExtension, startWorkbench } from '../../../scripts/workbench.mjs';
import { launchBrowser, newContext, untilDone } from './browser.js';
import { Chat } from './chat.js';
import { ConversationRows } from './conversationRows.js';

export const root = path.resolve(import.meta.dirname, '../../..');
const extensionId = 'acp-host.acp-host';
const workbenchFolder = path.join(root, '.workbench');
const screenshots = path.join(root, 'out/screenshots');

/** The limit for one step. Generous, because it only ends tests that hang: a busy machine takes several seconds to draw a workbench. */
const stepMs = 30_000;

export interface WorkbenchOptions {
  /** Files of the workspace, by relative path. */
  readonly files?: Readonly<Record<string, string>>;
  /** The name of the workspace's folder, for pictures. */
  readonly folderName?: string;
  /** The names of more folders of the workspace, beside the first one. */
  readonly otherFolders?: readonly string[];
  readonly userSettings?: Readonly<Record<string, unknown>>;
  /** Settings with the scope `machine`. The workbench is a remote one, where user settings of this scope have no effect. */
  readonly machineSettings?: Readonly<Record<string, unknown>>;
  /** Whether the workbench asks for workspace trust. By default, every folder is trusted. */
  readonly trust?: boolean;
  /** The folders of built-in extensions of VS Code to add to the few that are always installed. */
  readonly builtIns?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Called before the workbench starts. @param folder the workspace, absolute */
  readonly prepare?: (folder: string) => Promise<void>;
}

/** Options for a workbench with the TypeScript extension, which uses the compiler of this project. */
export const withTypeScript = {
  builtIns: ['typescript-language-features'],
  userSettings: {
    'typescript.tsdk': path.join(root, 'node_modules/typescript/lib'),
    'typescript.disableAutomaticTypeAcquisition': true,
  },
} satisfies WorkbenchOptions;

let installed: Promise<string> | undefined;

/** Returns the folder with the extension of the last build: that of the whole suite, or one of its own for a file that runs alone. */
async function installedExtension(): Promise<string> {
  const ofSuite = process.env['ACP_HOST_TEST_EXTENSIONS'];
  if (ofSuite !== undefined) return ofSuite;
  const profile = await mkdtemp(path.join(tmpdir(), 'acp-host-e2e-extension-'));
  process.once('exit', () => rmSync(profile, { recursive: true, force: true }));
  const vsix = path.join(profile, 'acp-host.vsix');
  // What it imports takes half a second of processor time, and only a file that runs alone needs it.
  const { packageExtension } = await import('../../../scripts/package.mjs');
  await packageExtension(vsix);
  return installExtension({ dir: workbenchFolder, vsix, profile });
}

function ofWorkspace(url: string, file: string): string {
  const { origin } = new URL(url);
  return `${origin}/?${new URLSearchParams({ workspace: file }).toString()}`;
}

/** @returns undefined if none runs */
async function enginePid(state: string): Promise<number | undefined> {
  const file = await readFile(path.join(state, 'engine.json'), 'utf8').catch(() => undefined);
  return file === undefined ? undefined : z.object({ pid: z.number() }).parse(JSON.parse(file)).pid;
}

async function writeMachineSettings(profile: string, settings: Readonly<Record<string, unknown>>): Promise<void> {
  await mkdir(path.join(profile, 'data/Machine'), { recursive: true });
  await writeFile(path.join(profile, 'data/Machine/settings.json'), JSON.stringify(settings));
}

/** The parts that all windows of one workbench share. */
interface Served {
  /** The workspace, absolute. */
  readonly folder: string;
  /** The URL that a browser opens. */
  readonly url: string;
  readonly serverPid: number;
  /** The folder with the conversations, and with the file that names their engine. */
  readonly state: string;
  /** Requests that left the machine. */
  readonly foreign: readonly string[];
  readonly newContext: () => Promise<BrowserContext>;
}

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
    const parent = await realpath(await mkdtemp(path.join(tmpdir(), 'acp-host-e2e-')));
    const folder = path.join(parent, options.folderName ?? '');
    for (const [name, text] of Object.entries(options.files ?? {})) {
      await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
      await writeFile(path.join(folder, name), text);
    }
    await options.prepare?.(folder);
    const [{ otherFolders = [] }, workspace] = [options, path.join(parent, 'all.code-workspace')];
    if (otherFolders.length > 0) {
      for (const name of otherFolders) await mkdir(path.join(parent, name));
      await writeFile(workspace, JSON.stringify({ folders: [path.basename(folder), ...otherFolders].map((name) => ({ path: name })) }));
    }
    const profile = await mkdtemp(path.join(tmpdir(), 'acp-host-e2e-profile-'));
    await writeMachineSettings(profile, { 'acpHost.defaultAgent': 'demo', ...options.machineSettings });
    const starting = startWorkbench({
      dir: workbenchFolder,
      folder,
      profile,
      extensions: await (installed ??= installedExtension()),
      trust: options.trust ?? false,
      // Most tests start the agent explicitly.
      userSettings: { 'acpHost.startWhenComposing': false, ...options.userSettings },
      ...(options.builtIns === undefined ? {} : { builtIns: options.builtIns }),
      ...(options.env === undefined ? {} : { env: options.env }),
    });
    const [server, browser] = await Promise.all([starting, launchBrowser()]);
    const foreign: string[] = [];
    const state = options.env?.['ACP_HOST_STATE'] ?? path.join(profile, 'xdg/acp-host');
    const served: Served = {
      folder,
      state,
      url: otherFolders.length > 0 ? ofWorkspace(server.url, workspace) : server.url,
      serverPid: server.pid,
      foreign,
      newContext: () => newContext(browser, { foreign, stepMs }),
    };
    const context = await served.newContext();
    const stop = async (): Promise<void> => {
      await browser.close();
      await server.stop();
      // It outlives the server, and is not its child.
      const engine = await enginePid(state);
      if (engine !== undefined) await endTree(engine);
      for (const own of [parent, profile]) await rm(own, { recursive: true, force: true, maxRetries: 5 });
    };
    return Workbench.#show(context, served, stop);
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
    const { serverPid, state } = this.#served;
    const engine = await enginePid(state);
    const all = await listProcesses();
    const own = [serverPid, ...(engine === undefined ? [] : [engine])].flatMap((pid) => descendantsOf(pid, all));
    // A set, because the engine is a child of the extension host that started it as long as that one runs.
    return [...new Set([...all.filter(({ pid }) => pid === engine), ...own])].filter((one) => command.test(one.command));
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
