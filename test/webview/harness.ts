/** The built page in a real browser with its real content security policy, and a host that records what the page posts. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type BrowserContext, type Page, type Request } from 'playwright-core';
import { findChromium } from '../../scripts/prerequisites.mjs';
import type { HostMessage, Op, Surface } from '../../src/contract/messages.js';
import type { PageMessage } from '../../src/contract/pageMessages.js';
import type { ChatView } from '../../src/contract/view.js';
import { type Theme, type ThemeName, themes } from './themes.js';
import { agentItem, emptyView, noon } from './views.js';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const contentTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.ttf': 'font/ttf',
};
const documentType = 'text/html; charset=utf-8';
const nonce = 'bm9uY2Utb2YtdGhlLXRlc3Q=';

export const screenshotFolder = path.join(root, 'out/screenshots');

export interface OpenOptions {
  readonly surface?: Surface | 'traffic';
  readonly view?: ChatView;
  readonly draft?: string;
  readonly theme?: ThemeName;
  readonly width?: number;
  readonly height?: number;
  /** Stops the clock and animation frames at the time of the fixtures until the test advances them. */
  readonly fakeClock?: boolean;
  readonly deviceScaleFactor?: number;
  readonly reducedMotion?: boolean;
  /** What the browser says about itself and the system; if absent, the truth. */
  readonly userAgent?: string;
  /** Uses a new page with a context of its own, which measurements and tests that change its requests or media need. */
  readonly ownPage?: boolean;
}

export interface OpenPage {
  readonly page: Page;
  /** Sends a message as the host does, and waits until the page has drawn it. */
  post(message: HostMessage): Promise<void>;
  /** Sends a patch with the next revision. */
  patch(...ops: Op[]): Promise<void>;
  /** @param conversation if absent, the snapshot belongs to no particular conversation */
  snapshot(view: ChatView, draft?: string, conversation?: string): Promise<void>;
  /** Changes the theme, as the editor does for a page that it shows. */
  showTheme(theme: ThemeName): Promise<void>;
  /** All messages of the page, in order. */
  messages(): Promise<PageMessage[]>;
  /** Waits for the first message of this type. */
  message<T extends PageMessage['type']>(type: T): Promise<Extract<PageMessage, { type: T }>>;
  /** Fails if the page reported an error, violated its policy or sent a request to another host. */
  assertClean(): Promise<void>;
  close(): Promise<void>;
}

/** One browser and one server for a test file. `close` ends both. */
export interface PageHost {
  open(options?: OpenOptions): Promise<OpenPage>;
  /** Opens a conversation with a single answer, `a1`. */
  openAnswer(markdown: string): Promise<OpenPage>;
  close(): Promise<void>;
}

export async function startPageHost(): Promise<PageHost> {
  const server = createServer((request, response) => {
    serve(request.url ?? '/').then(
      ({ type, body }) => response.writeHead(200, { 'content-type': type, 'cache-control': cacheControl(type) }).end(body),
      () => response.writeHead(404).end(),
    );
  });
  const origin = await listen(server);
  const executablePath = await findChromium();
  assert.ok(executablePath !== undefined, 'Chromium is not installed');
  // Pages of one context then share a process, which has already compiled the script of the page. That halves the work.
  const args = ['--no-sandbox', '--disable-gpu', '--renderer-process-limit=1'];
  const pages = new Pages(await chromium.launch({ executablePath, args }));

  async function serve(url: string): Promise<{ type: string; body: Buffer | string }> {
    const { pathname, searchParams } = new URL(url, origin);
    if (pathname === '/')
      return { type: documentType, body: await documentFor(origin, searchParams.get('surface') ?? 'chat', searchParams.get('theme')) };
    const file = path.join(root, pathname);
    if (!file.startsWith(path.join(root, 'dist/webview')) && !file.startsWith(path.join(root, 'media')))
      throw new Error(`not served: ${pathname}`);
    return { type: contentTypes[path.extname(file)] ?? 'application/octet-stream', body: await readFile(file) };
  }

  return {
    open: (options = {}) => openPage(pages, origin, options),
    openAnswer: (markdown) => openPage(pages, origin, { view: emptyView({ items: [agentItem('a1', markdown)] }) }),
    async close() {
      await pages.browser.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return `http://127.0.0.1:${address.port}`;
}

/** The files of the page stay the same while tests run: a browser that asks for them again costs as much as it takes to draw them. */
function cacheControl(type: string): string {
  return type === documentType ? 'no-store' : 'max-age=3600';
}

/** media/page.html as the extension fills it, with what VS Code adds to it. */
async function documentFor(origin: string, surface: string, theme: string | null): Promise<string> {
  const bundle = surface === 'traffic' ? 'traffic' : 'page';
  const styles = surface === 'traffic' ? ['base', 'traffic'] : ['base', 'transcript', 'page'];
  const values: Readonly<Record<string, string>> = {
    nonce,
    surface,
    place: surface === 'chat' ? 'view' : 'editor',
    cspSource: origin,
    scriptUri: `${origin}/dist/webview/${bundle}.js`,
    codiconUri: `${origin}/dist/webview/codicon.css`,
    styleLinks: styles.map((name) => `<link rel="stylesheet" href="${origin}/media/${name}.css">`).join(''),
  };
  const template = await readFile(path.join(root, 'media/page.html'), 'utf8');
  const page = template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? assert.fail(`nobody fills in ${name}`));
  const editor: FakeEditor = { theme: themes[isTheme(theme) ? theme : 'dark'], style: editorStyle };
  // tsx keeps function names with a helper function that does not exist in the browser.
  const script = `globalThis.__name = (target) => target; (${String(fakeEditor)})(${JSON.stringify(editor)})`;
  return page.replace('<head>', () => `<head><script nonce="${nonce}">${script}</script>`);
}

function isTheme(name: string | null): name is ThemeName {
  return name !== null && Object.hasOwn(themes, name);
}

/** The pages of a browser. Most tests get the page of a test before, with a new document: a new page takes twice as long. */
class Pages {
  readonly browser: Browser;
  /** The pages that nobody uses, by their kind. */
  readonly #idle = new Map<string, Page[]>();
  readonly #contexts = new Map<string, Promise<BrowserContext>>();
  #documents = 0;

  constructor(browser: Browser) {
    this.browser = browser;
  }

  /** @returns a page without a document or with that of a test before, and a function that closes it */
  async get(options: OpenOptions): Promise<{ page: Page; close: () => Promise<void> }> {
    // Playwright's clock applies to a whole context, and stays where a test left it.
    if (options.fakeClock === true || options.ownPage === true) {
      const context = await this.#newContext(options);
      return { page: await context.newPage(), close: () => context.close() };
    }
    const kind = `${options.deviceScaleFactor ?? 1} ${options.reducedMotion === true} ${options.userAgent ?? ''}`;
    const idle = this.#idle.get(kind) ?? [];
    this.#idle.set(kind, idle);
    const context = this.#contexts.get(kind) ?? this.#newContext(options);
    this.#contexts.set(kind, context);
    const page = idle.pop() ?? (await (await context).newPage());
    return {
      page,
      async close() {
        // What a test left pressed would stay pressed for the next one.
        if ((await page.evaluate(() => window.pressed.size)) > 0) return page.close();
        // No pointer is over a new page.
        await page.mouse.move(-1, -1);
        idle.push(page);
      },
    };
  }

  /** @returns the number of a document that nobody has opened yet */
  nextDocument(): number {
    return (this.#documents += 1);
  }

  #newContext({ deviceScaleFactor = 1, reducedMotion = false, userAgent }: OpenOptions): Promise<BrowserContext> {
    const motion = reducedMotion ? 'reduce' : 'no-preference';
    return this.browser.newContext({ deviceScaleFactor, reducedMotion: motion, ...(userAgent === undefined ? {} : { userAgent }) });
  }
}

async function openPage(pages: Pages, origin: string, options: OpenOptions): Promise<OpenPage> {
  const { surface = 'chat', theme = 'dark', width = 420, height = 720 } = options;
  const { page, close } = await pages.get(options);
  await page.setViewportSize({ width, height });
  page.setDefaultTimeout(30_000);
  const foreign: string[] = [];
  const onRequest = (request: Request): void => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) foreign.push(request.url());
  };
  page.on('request', onRequest);
  const crashes: string[] = [];
  const onCrash = (error: Error): void => {
    crashes.push(String(error));
  };
  page.on('pageerror', onCrash);
  if (options.fakeClock === true) await page.clock.install({ time: noon });
  await page.goto(`${origin}/?surface=${surface}&theme=${theme}&document=${pages.nextDocument()}`);
  if (options.fakeClock === true) await page.clock.pauseAt(noon + 60_000);

  let revision = 0;
  const messages = (): Promise<PageMessage[]> => page.evaluate(() => window.recorded);
  const loaded = new Set<string>();
  const post = async (message: HostMessage): Promise<void> => {
    await page.evaluate((data) => window.deliver(data), message);
    const text = JSON.stringify(message);
    for (const [name, kinds] of lazyChunks) {
      if (loaded.has(name) || !kinds.test(text)) continue;
      loaded.add(name);
      await page.evaluate(waitForChunk, `${origin}/dist/webview/${await chunkOf(name)}`);
    }
  };
  const opened: OpenPage = {
    page,
    post,
    messages,
    patch: (...ops) => post({ type: 'patch', revision: ++revision, ops }),
    snapshot: (view, draft = '', conversation) =>
      post({ type: 'snapshot', revision: ++revision, view, draft, ...(conversation === undefined ? {} : { conversation }) }),
    showTheme: (name) => page.evaluate((next) => window.showTheme(next), themes[name]),
    async message(type) {
      const handle = await page.waitForFunction((wanted) => window.recorded.find((message) => message.type === wanted), type, {
        polling: 20,
      });
      const message = await handle.jsonValue();
      return message as Extract<PageMessage, { type: typeof type }>;
    },
    async assertClean() {
      assert.deepEqual(
        (await messages()).filter(({ type }) => type === 'pageError'),
        [],
      );
      assert.deepEqual(crashes, []);
      assert.deepEqual(foreign, []);
    },
    close() {
      page.off('request', onRequest).off('pageerror', onCrash);
      return close();
    },
  };
  await opened.message('ready');
  if (options.view !== undefined) await opened.snapshot(options.view, options.draft);
  return opened;
}

/** The chunks that the page loads before it handles a message that contains one of these. */
const lazyChunks: readonly (readonly [name: string, kinds: RegExp])[] = [
  ['streamView', /"kind":"(?:agent|thought)"/],
  ['formPrompt', /"kind":"form"/],
  ['messageEdit', /"type":"editMessage"/],
];

async function chunkOf(chunk: string): Promise<string> {
  const names = await readdir(path.join(root, 'dist/webview'));
  return names.find((name) => name.startsWith(`${chunk}-`) && name.endsWith('.js')) ?? assert.fail(`${chunk} is not a chunk`);
}

/** Runs in the browser. Resolves when a page that is loading the chunk has it, and has drawn what waited for it. */
async function waitForChunk(url: string): Promise<void> {
  await import(url).catch(() => undefined);
  await new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = resolve;
    port2.postMessage(undefined);
  });
}

declare global {
  interface Window {
    recorded: PageMessage[];
    /** The keys and buttons that are down. */
    pressed: Set<string>;
    /** Resolves when the page has handled the message. */
    deliver(message: unknown): Promise<void>;
    /** Replaces the theme that the page has, if any. */
    showTheme(theme: Theme): void;
  }
}

/** The default styles of VS Code 1.139 for texts in a webview, in a layer below the styles of the page. */
const editorStyle = `@layer editor {
  body { color: var(--vscode-editor-foreground); padding: 0 20px; }
  a, a code { color: var(--vscode-textLink-foreground); }
  code { color: var(--vscode-textPreformat-foreground); background-color: var(--vscode-textPreformat-background); padding: 1px 3px; border-radius: 4px; }
  pre code { padding: 0; }
  kbd { color: var(--vscode-keybindingLabel-foreground); background-color: var(--vscode-keybindingLabel-background); border: 1px solid; padding: 1px 3px; }
}`;

interface FakeEditor {
  readonly theme: Theme;
  readonly style: string;
}

/** Runs in the browser before the page's script, and provides what VS Code provides to a webview. The state belongs to the URL, and survives a reload. */
function fakeEditor({ theme, style }: FakeEditor): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  document.adoptedStyleSheets = [sheet];
  window.recorded = [];
  window.pressed = new Set();
  const nameOf = (event: Event): string => (event instanceof KeyboardEvent ? event.code : 'button');
  for (const type of ['keydown', 'mousedown']) window.addEventListener(type, (event) => window.pressed.add(nameOf(event)), true);
  for (const type of ['keyup', 'mouseup']) window.addEventListener(type, (event) => window.pressed.delete(nameOf(event)), true);
  window.deliver = (message) =>
    new Promise((resolve) => {
      window.addEventListener('message', () => resolve(), { once: true });
      window.postMessage(message, '*');
    });
  Object.assign(window, {
    acquireVsCodeApi: () => ({
      postMessage: (message: PageMessage) => window.recorded.push(structuredClone(message)),
      getState: () => JSON.parse(sessionStorage.getItem(location.search) ?? 'null'),
      setState: (state: unknown) => sessionStorage.setItem(location.search, JSON.stringify(state)),
    }),
  });
  window.showTheme = ({ className, variables }) => {
    const { classList } = document.body;
    classList.remove(...[...classList].filter((name) => name.startsWith('vscode-')));
    classList.add('vscode-body', ...className.split(' '));
    const given = document.documentElement.style;
    for (const name of [...given].filter((one) => one.startsWith('--vscode-'))) given.removeProperty(name);
    for (const [name, value] of Object.entries(variables)) given.setProperty(`--vscode-${name}`, value);
  };
  document.addEventListener('DOMContentLoaded', () => window.showTheme(theme));
}
