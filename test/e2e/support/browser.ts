/** The browser that shows the workbench. Requests to other machines fail and are recorded. */
import assert from 'node:assert/strict';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { findChromium } from '../../../scripts/prerequisites.mjs';

export async function launchBrowser(): Promise<Browser> {
  const executablePath = await findChromium();
  assert.ok(executablePath !== undefined, 'Chromium is not installed');
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // Requests to other machines fail, so that tests notice them.
      '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
    ],
  });
}

export interface ContextOptions {
  /** Receives the requested URLs of other machines. */
  readonly foreign: string[];
  /** How long one step of a test may take, in milliseconds. */
  readonly stepMs: number;
}

export async function newContext(browser: Browser, { foreign, stepMs }: ContextOptions): Promise<BrowserContext> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    // On one machine, sending twenty megabytes takes less work than compressing them.
    extraHTTPHeaders: { 'Accept-Encoding': 'identity' },
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(stepMs);
  const isForeign = (url: string): boolean => {
    const { protocol, hostname } = new URL(url);
    return /^(https?|wss?):$/.test(protocol) && hostname !== '127.0.0.1';
  };
  // URLs of a webview's own files look foreign, but the service worker of the workbench answers them.
  context.on('response', (response) => {
    if (isForeign(response.url()) && !response.fromServiceWorker()) foreign.push(response.url());
  });
  context.on('requestfailed', (request) => {
    // A page that is hidden while it loads its files aborts those requests.
    if (isForeign(request.url()) && request.failure()?.errorText !== 'net::ERR_ABORTED') foreign.push(`${request.url()} (failed)`);
  });
  // tsx preserves function names with calls to a function that does not exist in the browser.
  await context.addInitScript('globalThis.__name = (target) => target');
  await context.addInitScript(stopAnimations);
  return context;
}

/** Runs in each document. Drawing a spinner again and again takes a tenth of what a workbench does. */
function stopAnimations(): void {
  const still = new CSSStyleSheet();
  still.replaceSync('*, ::before, ::after { animation: none !important; }');
  document.adoptedStyleSheets = [still];
}

/** Tries again until it succeeds or the time is over. @throws the last error */
export async function untilDone(limitMs: number, attempt: () => Promise<void>): Promise<void> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
}
