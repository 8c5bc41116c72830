/** The rows of the Conversations view in a real workbench. */
import type { Locator, Page } from 'playwright-core';

export class ConversationRows {
  readonly #page: Page;
  readonly #stepMs: number;

  /** @param stepMs how long one step may take */
  constructor(page: Page, stepMs: number) {
    this.#page = page;
    this.#stepMs = stepMs;
  }

  /** Returns the rows with this accessible name: name, state, agent, age. */
  at(name: RegExp): Locator {
    return this.#page.locator('.part.sidebar').getByRole('treeitem', { name });
  }

  /** Scrolls the Conversations view to a row, because the view only renders visible rows, and the last of them may be half hidden. */
  async reveal(name: RegExp): Promise<void> {
    const row = this.at(name);
    const tree = this.#page.locator('.part.sidebar').getByRole('tree', { name: /Conversations/ });
    const deadline = Date.now() + this.#stepMs;
    for (let step = 0; !(await isWholeIn(tree, row)) && Date.now() < deadline; step++) {
      await tree.hover();
      // It starts at the top; once it has seen all rows, it starts again. Each turn of the wheel moves two rows, whatever its distance.
      const isStart = step % 20 === 0;
      for (let turn = 0; turn < (isStart ? 20 : 1); turn++) await this.#page.mouse.wheel(0, isStart ? -60 : 60);
    }
    // The hover of another row may cover this one.
    await this.#page.mouse.move(0, 0);
    await row.waitFor({ timeout: 1_000 });
  }

  /** Holds the pointer over a row until its hover has this text: VS Code forgets the pointer when it draws the rows again. Returns all its text. */
  async hover(name: RegExp, text: string): Promise<string> {
    const hover = this.#page.locator('.monaco-hover').filter({ hasText: text, visible: true }).first();
    const deadline = Date.now() + this.#stepMs;
    do {
      await this.#page.mouse.move(0, 0);
      await this.at(name).hover();
    } while (!(await isIn(hover, 'visible', 2_000)) && Date.now() < deadline);
    return hover.innerText({ timeout: 1_000 });
  }

  /**
   * Chooses an entry of a row's context menu, again and again until it has an effect. The workbench closes the menu whenever it lays out its
   * parts, and a menu ignores clicks in its first 100 ms.
   * @param effect the element that appears or disappears
   */
  async menu(name: RegExp, entry: string, effect: Locator, state: 'visible' | 'hidden' = 'visible'): Promise<void> {
    const deadline = Date.now() + this.#stepMs;
    const item = this.#page.getByRole('menuitem', { name: entry });
    for (;;) {
      try {
        await this.at(name).click({ button: 'right', timeout: 3_000 });
        await item.click({ timeout: 3_000 });
        if (!(await isIn(item, 'hidden', 500))) await item.click({ timeout: 3_000 });
        await effect.waitFor({ state, timeout: 5_000 });
        return;
      } catch (error) {
        if (await isIn(effect, state, 500)) return;
        if (Date.now() > deadline) throw error;
        await this.#page.keyboard.press('Escape');
      }
    }
  }
}

async function isWholeIn(tree: Locator, row: Locator): Promise<boolean> {
  if (!(await isIn(row, 'visible', 500))) return false;
  const [outer, inner] = await Promise.all([tree.boundingBox(), row.boundingBox({ timeout: 500 }).catch(() => null)]);
  return outer !== null && inner !== null && inner.y >= outer.y && inner.y + inner.height <= outer.y + outer.height;
}

function isIn(item: Locator, state: 'visible' | 'hidden', withinMs: number): Promise<boolean> {
  return item.waitFor({ state, timeout: withinMs }).then(
    () => true,
    () => false,
  );
}
