import * as util from 'node:util';

type Style = 'dim' | 'bold' | 'inverse' | 'red' | 'green' | 'yellow' | 'cyan';

export type Paint = Readonly<Record<Style, (text: string) => string>>;

/** @param colored the result of `isColored`, because Node checks other variables than docs/cli.md promises */
export function paintFor(colored: boolean): Paint {
  const painter =
    (style: Style) =>
    (text: string): string =>
      // Node before 20.12 has no styleText, so there are no colors.
      colored ? (util.styleText?.(style, text, { validateStream: false }) ?? text) : text;
  return {
    dim: painter('dim'),
    bold: painter('bold'),
    inverse: painter('inverse'),
    red: painter('red'),
    green: painter('green'),
    yellow: painter('yellow'),
    cyan: painter('cyan'),
  };
}
