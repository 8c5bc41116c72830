/** A failure that concerns one conversation, which need not be the one on screen. */
export class NamedFailure extends Error {
  override readonly name = 'NamedFailure';
  /** For users. */
  readonly conversation: string;

  constructor(conversation: string, cause: unknown) {
    super(conversation, { cause });
    this.conversation = conversation;
  }
}

/** @throws NamedFailure what the work throws, with the name of the conversation */
export async function naming<T>(conversation: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new NamedFailure(conversation, cause);
  }
}
