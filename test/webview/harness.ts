/** The built page in a real browser with its real content security policy, and a host that records what the page posts. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
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
  '.html': 'text/html; charset=utf-8',
};
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
  /** Uses a new process of the browser, which measurements need. */
  readonly ownProcess?: boolean;
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
      ({ type, body }) => response.writeHead(200, { 'content-type': type }).end(body),
      () => response.writeHead(404).end(),
    );
  });
  const origin = await listen(server);
  const executablePath = await findChromium();
  assert.ok(executablePath !== undefined, 'Chromium is not installed');
  // Pages of one context then share a process, which has already compiled the script of the page. That halves the work.
  const args = ['--no-sandbox', '--disable-gpu', '--renderer-process-limit=1'];
  const contexts = new Contexts(await chromium.launch({ executablePath, args }));

  async function serve(url: string): Promise<{ type: string; body: Buffer | string }> {
    const { pathname, searchParams } = new URL(url, origin);
    if (pathname === '/')
      return { type: 'text/html; charset=utf-8', body: await documentFor(origin, searchParams.get('surface') ?? 'chat') };
    const file = path.join(root, pathname);
    if (!file.startsWith(path.join(root, 'dist/webview')) && !file.startsWith(path.join(root, 'media')))
      throw new Error(`not served: ${pathname}`);
    return { type: contentTypes[path.extname(file)] ?? 'application/octet-stream', body: await readFile(file) };
  }

  return {
    open: (options = {}) => openPage(contexts, origin, options),
    openAnswer: (markdown) => openPage(contexts, origin, { view: emptyView({ items: [agentItem('a1', markdown)] }) }),
    async close() {
      await contexts.browser.close();
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

/** media/page.html as the extension fills it. */
async function documentFor(origin: string, surface: string): Promise<string> {
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
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? assert.fail(`nobody fills in ${name}`));
}

/** The contexts that pages of the same kind share. */
class Contexts {
  readonly browser: Browser;
  readonly #shared = new Map<string, Promise<BrowserContext>>();

  constructor(browser: Browser) {
    this.browser = browser;
  }

  /** @returns an empty page, and a function that closes it */
  async newPage(options: OpenOptions): Promise<{ page: Page; close: () => Promise<void> }> {
    // Playwright's clock applies to a whole context.
    if (options.fakeClock === true || options.ownProcess === true) {
      const context = await this.#newContext(options);
      return { page: await context.newPage(), close: () => context.close() };
    }
    const kind = `${options.deviceScaleFactor ?? 1} ${options.reducedMotion === true} ${options.userAgent ?? ''}`;
    const sharing = this.#shared.get(kind) ?? this.#newShared(options);
    this.#shared.set(kind, sharing);
    const page = await (await sharing).newPage();
    return { page, close: () => page.close() };
  }

  /** A context of which a page stays open: its process ends with its last page, and the next one would have to compile the script again. */
  async #newShared(options: OpenOptions): Promise<BrowserContext> {
    const context = await this.#newContext(options);
    await context.newPage();
    return context;
  }

  #newContext({ deviceScaleFactor = 1, reducedMotion = false, userAgent }: OpenOptions): Promise<BrowserContext> {
    const motion = reducedMotion ? 'reduce' : 'no-preference';
    return this.browser.newContext({ deviceScaleFactor, reducedMotion: motion, ...(userAgent === undefined ? {} : { userAgent }) });
  }
}

async function openPage(contexts: Contexts, origin: string, options: OpenOptions): Promise<OpenPage> {
  const { surface = 'chat', theme = 'dark', width = 420, height = 720 } = options;
  const { page, close } = await contexts.newPage(options);
  await page.setViewportSize({ width, height });
  page.setDefaultTimeout(30_000);
  const foreign: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) foreign.push(request.url());
  });
  const crashes: string[] = [];
  page.on('pageerror', (error) => crashes.push(String(error)));
  if (options.fakeClock === true) await page.clock.install({ time: noon });
  // tsx keeps function names with a helper function that does not exist in the browser.
  await page.addInitScript('globalThis.__name = (target) => target');
  await page.addInitScript(fakeEditor, { theme: themes[theme], style: editorStyle });
  await page.goto(`${origin}/?surface=${surface}`);
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
    close,
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

/** Runs in the browser before the page, and provides what VS Code provides to a webview. The state survives a reload. */
function fakeEditor({ theme, style }: FakeEditor): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  document.adoptedStyleSheets = [sheet];
  window.recorded = [];
  window.deliver = (message) =>
    new Promise((resolve) => {
      window.addEventListener('message', () => resolve(), { once: true });
      window.postMessage(message, '*');
    });
  Object.assign(window, {
    acquireVsCodeApi: () => ({
      postMessage: (message: PageMessage) => window.recorded.push(structuredClone(message)),
      getState: () => JSON.parse(sessionStorage.getItem('state') ?? 'null'),
      setState: (state: unknown) => sessionStorage.setItem('state', JSON.stringify(state)),
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
