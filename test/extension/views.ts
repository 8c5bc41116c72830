import type { ChatView } from '../../src/contract/view.js';

/** A chat in which nothing has happened. */
export function emptyChatView(): ChatView {
  return {
    header: { agent: 'agentao', state: 'stopped', stateText: 'not running' },
    banner: null,
    items: [],
    empty: { title: '', text: '', examples: [], buttons: [] },
    plans: [],
    prompts: [],
    wait: null,
    queue: [],
    held: [],
    review: null,
    unsaved: null,
    composer: { placeholder: '', busy: false, selectors: [], commands: [], chips: [] },
  };
}
