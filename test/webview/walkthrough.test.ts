/** The pictures of the walkthrough, which take their colors from the theme. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { hostForTests } from './pageTests.js';
import { type ThemeName, themes } from './themes.js';

const folder = path.resolve(import.meta.dirname, '../../media/walkthrough');
const pictures = (await readdir(folder)).filter((name) => name.endsWith('.svg'));

const host = hostForTests();

describe('a picture of the walkthrough', () => {
  for (const theme of Object.keys(themes) as ThemeName[]) {
    for (const name of pictures) {
      test(`its text has enough contrast: ${name}, ${theme}`, async () => {
        const opened = await host.open({ theme, width: 600, height: 400 });
        await opened.page.evaluate(drawAlone, await readFile(path.join(folder, name), 'utf8'));
        assert.deepEqual(await opened.page.locator('text').evaluateAll(hardToRead), []);
        await opened.close();
      });
    }
  }
});

/** Runs in the browser. The picture is a file of this project. */
function drawAlone(svg: string): void {
  document.body.replaceChildren(document.importNode(new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement, true));
  document.body.style.background = 'var(--vscode-editor-background)';
}

/** Runs in the browser. @returns texts with too little contrast with the background at their center */
function hardToRead(texts: readonly Element[]): string[] {
  const channels = (color: string): readonly number[] => (color.match(/[\d.]+/g) ?? []).map(Number);
  const brightness = (color: string): number => {
    const [red = 0, green = 0, blue = 0] = channels(color).map((part) => {
      const share = part / 255;
      return share <= 0.04 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  return texts.flatMap((text) => {
    const { left, top, width, height } = text.getBoundingClientRect();
    const fills = document.elementsFromPoint(left + width / 2, top + height / 2).flatMap((node) => {
      const fill = node.nodeName === 'rect' ? getComputedStyle(node).fill : 'none';
      return (channels(fill)[3] ?? 1) > 0.5 && fill !== 'none' ? [fill] : [];
    });
    const back = brightness(fills[0] ?? getComputedStyle(document.body).backgroundColor);
    const front = brightness(getComputedStyle(text).fill);
    const contrast = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
    return contrast >= 4.5 ? [] : [`${text.textContent}: ${contrast.toFixed(1)}`];
  });
}
