/**
 * Checks that the texts and icons of a page are readable, by the contrast that WCAG requires: 4.5 to 1, and 3 to 1 for icons. Unlike axe, it
 * also checks highlights, and text with the same color as its background.
 */
import type { Page } from 'playwright-core';

/** @returns each text and icon that has too little contrast with its background */
export function hardToRead(page: Page): Promise<string[]> {
  return page.locator('body').evaluate(look);
}

/** Runs in the browser. */
function look(body: Element): string[] {
  type Color = readonly [red: number, green: number, blue: number, alpha: number];
  const parse = (text: string): Color => {
    const [red = 0, green = 0, blue = 0, alpha = 1] = (text.replace('srgb', '').match(/[\d.]+(?:e-\d+)?/g) ?? []).map(Number);
    const scale = text.startsWith('color(') ? 255 : 1;
    return [red * scale, green * scale, blue * scale, alpha];
  };
  const over = ([red, green, blue, alpha]: Color, below: Color): Color => {
    const mix = (top: number, bottom: number): number => top * alpha + bottom * (1 - alpha);
    return [mix(red, below[0]), mix(green, below[1]), mix(blue, below[2]), 1];
  };
  const brightness = ([red, green, blue]: Color): number => {
    const linear = (part: number): number => (part / 255 <= 0.04 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  };
  const known = new Map<Element, Color>();
  const behind = (element: Element): Color => {
    const back = known.get(element) ?? paintedBehind(element);
    known.set(element, back);
    return back;
  };
  const paintedBehind = (element: Element): Color => {
    const below = element.parentElement === null ? ([255, 255, 255, 1] as const) : behind(element.parentElement);
    const { display, backgroundColor } = getComputedStyle(element);
    // An inline box paints no background behind blocks in it.
    const isBroken = display === 'inline' && [...element.children].some((child) => getComputedStyle(child).display === 'block');
    return isBroken ? below : over(parse(backgroundColor), below);
  };
  const opacityOf = (element: Element | null): number =>
    element === null ? 1 : Number(getComputedStyle(element).opacity) * opacityOf(element.parentElement);

  const found = new Set<string>();
  const check = (element: Element, style: CSSStyleDeclaration, back: Color, what: string, least = 4.5): void => {
    const [red, green, blue, alpha] = parse(style.color);
    const [one, other] = [brightness(over([red, green, blue, alpha * opacityOf(element)], back)), brightness(back)];
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (contrast < least) found.add(`${element.tagName.toLowerCase()}.${element.className} ${what}: ${contrast.toFixed(1)}`);
  };

  const selection = document.getSelection();
  const texts = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const element = node.parentElement;
    const words = node.textContent?.trim().slice(0, 30) ?? '';
    if (element === null || words === '' || !element.checkVisibility({ visibilityProperty: true })) continue;
    // Texts for screen readers only, and disabled controls.
    if (element.closest('.sr-only, script, option, :disabled') !== null) continue;
    check(element, getComputedStyle(element), behind(element), words);
    if (selection?.containsNode(node) !== true) continue;
    const selected = getComputedStyle(element, '::selection');
    // The editor's own themes don't have more.
    check(element, selected, over(parse(selected.backgroundColor), behind(element)), `selected ${words}`, 3);
  }
  for (const icon of body.querySelectorAll('.codicon')) {
    const style = getComputedStyle(icon);
    // Those that appear on hover have no color before.
    if (!icon.checkVisibility({ visibilityProperty: true }) || icon.closest(':disabled') !== null || parse(style.color)[3] === 0) continue;
    check(icon, style, behind(icon), 'icon', 3);
  }
  for (const [name, ranges] of CSS.highlights) {
    for (const range of ranges) {
      const element = range.startContainer.parentElement;
      if (element === null) continue;
      const style = getComputedStyle(element, `::highlight(${name})`);
      check(element, style, over(parse(style.backgroundColor), behind(element)), name);
    }
  }
  return [...found];
}
