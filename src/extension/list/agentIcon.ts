/** The icon of an agent: the first letters of its name, because no agent brings a picture of itself. Pure. */

const foregrounds = { light: '#424242', dark: '#c5c5c5' } as const;

/** @returns an SVG image with 16 by 16 pixels */
export function agentIcon(label: string | undefined, theme: keyof typeof foregrounds): string {
  const color = foregrounds[theme];
  const text = `<text x="8" y="11.2" text-anchor="middle" font-family="sans-serif" font-size="8.5" font-weight="600" fill="${color}">${lettersOf(label)}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 16 16"><rect x="1" y="1.5" width="14" height="13" rx="3" fill="none" stroke="${color}"/>${text}</svg>`;
}

/** Two letters, because the names of many agents begin with the same one. Nothing else of the name gets into the image. */
function lettersOf(label: string | undefined): string {
  const [first, second = ''] = [...(label ?? '').matchAll(/[\p{L}\p{N}]/gu)].map(([letter]) => letter);
  return first === undefined ? '?' : `${first.toUpperCase()}${second.toLowerCase()}`;
}
