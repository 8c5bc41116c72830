/** What the user wants on screen. It may take a while to read it, and the user may have chosen something else by then. */
export class ScreenChoice {
  #latest: object = {};

  /** Call this when the user chooses something. @returns whether that is still the latest choice */
  choose(): () => boolean {
    const choice = {};
    this.#latest = choice;
    return () => this.#latest === choice;
  }
}
