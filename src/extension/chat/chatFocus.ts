/** Tracks which page of the chat has the keyboard focus. The blur of one page may arrive after the focus of the next. */
export class ChatFocus<Page extends object> {
  readonly #onChange: (focused: boolean) => void;
  #holder: Page | undefined;

  constructor(onChange: (focused: boolean) => void) {
    this.#onChange = onChange;
  }

  get holder(): Page | undefined {
    return this.#holder;
  }

  /** @param page stands for the page; compared by identity */
  set(page: Page, focused: boolean): void {
    const before = this.#holder;
    if (focused) this.#holder = page;
    else if (before === page) this.#holder = undefined;
    if ((before === undefined) !== (this.#holder === undefined)) this.#onChange(this.#holder !== undefined);
  }
}
