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
      const isReversed = decorations.includes('reverse');
      const run = el('span');
      setText(run, content);
      const [ink, paper] = [colorOf(fg, exact[index]?.fg), colorOf(bg, exact[index]?.bg)];
      // The program doesn't know the background.
      const isAdapted = !isReversed && paper === '' && ink.startsWith('rgb');
      run.classList.toggle('adapted', isAdapted);
      // The page's policy forbids style attributes, but not this. What is hidden in a terminal is shown.
      run.style.setProperty(isAdapted ? '--ink' : 'color', isReversed ? paper || 'var(--bg-code)' : ink);
      run.style.backgroundColor = isReversed ? ink || 'var(--vscode-foreground)' : paper;
      run.classList.toggle('strong', decorations.includes('bold'));
      run.classList.toggle('faint', decorations.includes('dim'));
      return run;
    }),
  );
}

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
