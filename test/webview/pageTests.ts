/** The set-up that page tests share. */
import { mkdir } from 'node:fs/promises';
import { after, before } from 'node:test';
import { type PageHost, screenshotFolder, startPageHost } from './harness.js';

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
