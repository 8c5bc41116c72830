/** Draws the output of a program in the colors of the editor's terminal. */
import Anser from 'anser';
import { el, setText } from '../base/dom.js';

/** @param text without other terminal codes than those that set colors and styles (`printedWithStyles`) */
export function drawStyled(pre: HTMLElement, text: string): void {
  const runs = Anser.ansiToJson(text, { json: true, use_classes: true, remove_empty: true });
  pre.replaceChildren(
    ...runs.map(({ content, fg, bg, decorations }) => {
      const isReversed = decorations.includes('reverse');
      const run = el('span');
      setText(run, content);
      // The page's policy forbids style attributes, but not this. What is hidden in a terminal is shown.
      run.style.color = colorOf(isReversed ? bg : fg, isReversed ? 'var(--bg-code)' : '');
      run.style.backgroundColor = colorOf(isReversed ? fg : bg, isReversed ? 'var(--vscode-foreground)' : '');
      run.classList.toggle('strong', decorations.includes('bold'));
      run.classList.toggle('faint', decorations.includes('dim'));
      return run;
    }),
  );
}

/** @param name as the library calls it, such as `ansi-bright-red`; other colors than the sixteen of the theme are left out */
function colorOf(name: string | null, fallback: string): string {
  const words = /^ansi-(bright-)?(black|red|green|yellow|blue|magenta|cyan|white)$/.exec(name ?? '');
  if (words === null) return fallback;
  const [, bright = '', color = ''] = words;
  return `var(--vscode-terminal-ansi${bright === '' ? '' : 'Bright'}${color.charAt(0).toUpperCase()}${color.slice(1)})`;
}
