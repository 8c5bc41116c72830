/** The set-up that page tests share. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { after, before } from 'node:test';
import { type OpenOptions, type OpenPage, type PageHost, screenshotFolder, startPageHost } from './harness.js';
import { emptyView } from './views.js';

/** Starts a host for the tests of a file, creates the folder for screenshots, and closes the host after the tests. */
export function hostForTests(): PageHost {
  let host: PageHost | undefined;
  const started = (): PageHost => {
    if (host === undefined) throw new Error('The host is only available while the tests run');
    return host;
  };
  before(async () => {
    await mkdir(screenshotFolder, { recursive: true });
    host = await startPageHost();
  });
  after(() => host?.close());
  return {
    open: (options) => started().open(options),
    openAnswer: (markdown) => started().openAnswer(markdown),
    close: () => started().close(),
  };
}

/** Opens a page a second after it was drawn, and saves a screenshot of it. */
export async function shoot(host: PageHost, name: string, options: OpenOptions): Promise<OpenPage> {
  const { view = emptyView(), ...rest } = options;
  const opened = await host.open({ ...rest, fakeClock: true });
  await opened.snapshot(view);
  await opened.page.clock.runFor(1000);
  await opened.page.evaluate(() => document.fonts.ready);
  await shootAgain(opened, name);
  return opened;
}

/** Saves another screenshot of a page, for example in another theme. */
export async function shootAgain({ page }: OpenPage, name: string): Promise<void> {
  await page.screenshot({ path: path.join(screenshotFolder, `page-${name}.png`) });
}
