import type { ChangeSet, ConversationState } from '../../core/index.js';
import type { Output } from '../output/output.js';

/** Tells once what each turn changed in the folder, as soon as it has ended and that is known. */
export class ChangeWatch {
  readonly #output: Pick<Output, 'changed' | 'unrecorded'>;
  /** The sessions of the turns that have ended, of which nothing was told yet, by the IDs of the turns. */
  readonly #ended = new Map<string, string>();
  #hasNews = false;
  #seen: Pick<ConversationState, 'changes' | 'changesFailure'> | undefined;
  #toldReasons = new Set<string | undefined>();

  constructor(output: Pick<Output, 'changed' | 'unrecorded'>) {
    this.#output = output;
  }

  /** Call this when the end of the turn was shown, before `update`. */
  ended(sessionId: string, turnId: string): void {
    this.#ended.set(turnId, sessionId);
    this.#hasNews = true;
  }

  update(state: ConversationState): void {
    const { changes, changesFailure } = state;
    const isSeen = changes === this.#seen?.changes && changesFailure === this.#seen.changesFailure;
    if (this.#ended.size === 0 || (isSeen && !this.#hasNews)) return;
    this.#seen = { changes, changesFailure };
    this.#hasNews = false;
    for (const set of changes) this.#tell(set);
    if (changesFailure === undefined || this.#toldReasons.has(changesFailure.params.reason)) return;
    this.#toldReasons.add(changesFailure.params.reason);
    this.#output.unrecorded(changesFailure);
  }

  /** Whether a turn has ended whose changes are known in part, so that all of them will be soon. */
  isRecording({ changes }: ConversationState): boolean {
    return changes.some(({ id, kind }) => kind === 'running' && this.#ended.has(id));
  }

  #tell(set: ChangeSet): void {
    const sessionId = this.#ended.get(set.id);
    if (sessionId === undefined || set.kind === 'running') return;
    this.#ended.delete(set.id);
    this.#output.changed(sessionId, set);
  }
}
