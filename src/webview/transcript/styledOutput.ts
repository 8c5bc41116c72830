/** Draws the output of a program in the colors of the editor's terminal. */
import Anser from 'anser';
import { el, setText } from '../base/dom.js';

/** @param text without other terminal codes than those that set colors and styles (`printedWithStyles`) */
export function drawStyled(pre: HTMLElement, text: string): void {
  const parse = (use_classes: boolean) => Anser.ansiToJson(text, { json: true, use_classes, remove_empty: true });
  // The library tells either the names of colors or what they are.
  const exact = /[34]8;/.test(text) ? parse(false) : [];
  pre.replaceChildren(
    ...parse(true).map(({ content, fg, bg, decorations }, index) => {
      const run = el('span');
      setText(run, content);
      const ink = colorOf(fg, exact[index]?.fg);
      const paper = colorOf(bg, exact[index]?.bg);
      // The page's policy forbids style attributes, but not this. What is hidden in a terminal is shown.
      run.style.setProperty('--known', ink || paper);
      // The program doesn't know the color that it doesn't set.
      if (isExact(ink) && paper === '') run.classList.add('adapted');
      else run.style.color = ink;
      if (isExact(paper) && ink === '') run.classList.add('contrasting');
      run.style.backgroundColor = paper;
      run.classList.toggle('strong', decorations.includes('bold'));
      run.classList.toggle('faint', decorations.includes('dim'));
      return run;
    }),
  );
}

const isExact = (color: string): boolean => color.startsWith('rgb');

/**
 * @param name as the library calls it, such as `ansi-bright-red`: the sixteen colors are those of the theme
 * @param exact red, green and blue of any other color
 * @returns empty without a color
 */
function colorOf(name: string | null, exact: string | null | undefined): string {
  const words = /^ansi-(bright-)?(black|red|green|yellow|blue|magenta|cyan|white)$/.exec(name ?? '');
  if (words === null) return exact == null ? '' : `rgb(${exact})`;
  const [, bright = '', color = ''] = words;
  return `var(--vscode-terminal-ansi${bright === '' ? '' : 'Bright'}${color.charAt(0).toUpperCase()}${color.slice(1)})`;
}
