/** Views in which the user decides how to continue. */
import type { ChatView } from '../../src/contract/view.js';
import { agentItem, emptyView, noon, toolItem, userItem } from './views.js';

const messageOnHold: ChatView['held'] = [
  {
    title: '1 message on hold after the interrupted turn',
    text: 'Resend that turn first, or skip it and send what is on hold.',
    prompts: [{ id: 'h1', text: 'and update the changelog' }],
    buttons: [
      { action: 'resendInterrupted', label: 'Resend' },
      { action: 'sendHeld', label: 'Skip' },
    ],
  },
];

/** An interrupted turn, the files that it may have changed, and a message on hold. If there is a card, only the card offers to resend the turn. */
export function interruptedView(changes: Partial<ChatView> = {}): ChatView {
  const { held = messageOnHold } = changes;
  return emptyView({
    items: [
      userItem('u1', 'make the parser tolerant'),
      toolItem('parser'),
      toolItem('edit', {
        toolKind: 'edit',
        title: 'replace',
        verb: 'Edit',
        target: 'src/parser.ts',
        status: 'cancelled',
        statusText: 'stopped',
        diffs: [{ path: '/project/src/parser.ts', oldText: 'a\n', newText: 'b\n', added: 1, removed: 1 }],
      }),
      agentItem('a1', 'I found two places where the parser gives up too early. The first one is'),
      {
        kind: 'turn_end',
        id: 'e1',
        severity: 'error',
        text: 'Interrupted: agentao was killed (SIGKILL). Output so far was saved.',
        durationMs: 42_000,
        at: noon,
        files: [
          { path: '/project/src/parser.ts', label: 'src/parser.ts' },
          { path: '/project/test/parser.test.ts', label: 'test/parser.test.ts' },
        ],
        buttons: [
          ...(held.length > 0 ? [] : [{ action: 'retry' as const, label: 'Resend' }]),
          { action: 'editTurn', label: 'Edit and Resend' },
          { action: 'showLog', label: 'Show Log' },
        ],
      },
    ],
    held,
    ...changes,
  });
}

/** The agent was restarted, but does not know the conversation. */
export function loadFailedView(changes: Partial<ChatView> = {}): ChatView {
  return interruptedView({
    header: { agent: 'agentao', version: '0.5.17', model: 'openai/gpt-x', state: 'waiting', stateText: 'needs your input' },
    banner: {
      severity: 'warning',
      title: "agentao can't resume this conversation",
      text: 'The agent has no saved copy of it. Nothing is lost. Continue with context to send it the history, or start fresh.',
      buttons: [
        { action: 'continueWithContext', label: 'Continue with Context' },
        { action: 'startFresh', label: 'Start Fresh' },
        { action: 'retry', label: 'Try Again' },
        { action: 'showLog', label: 'Show Log' },
      ],
    },
    ...changes,
  });
}

/** The agent did not start, so the first message is on hold. */
export function failedStartView(changes: Partial<ChatView> = {}): ChatView {
  const { composer } = emptyView();
  return emptyView({
    header: { agent: 'agentao', state: 'failed', stateText: 'failed' },
    banner: {
      severity: 'error',
      title: "agentao started but didn't answer properly",
      text: 'agentao exited before it responded (exit code 3). Check its arguments; its output is in the log.',
      detail: 'Error: the configuration file is missing',
      buttons: [
        { action: 'checkAgain', label: 'Check Again' },
        { action: 'doctor', label: 'Run Diagnostics' },
        { action: 'showLog', label: 'Show Log' },
        { action: 'openSettings', label: 'Open Settings' },
      ],
    },
    empty: { title: '', text: '', examples: [], buttons: [] },
    held: [
      {
        title: '1 message on hold',
        text: 'It is sent once the problem above is resolved.',
        prompts: [{ id: 'h1', text: 'make the parser tolerant' }],
        buttons: [],
      },
    ],
    composer: { ...composer, chips: [{ id: 'open', label: 'parser.ts', title: 'src/parser.ts', follows: 'sent' }] },
    ...changes,
  });
}

/** After the choice: the context is in the composer, and was also sent with an earlier message. */
export function contextView(changes: Partial<ChatView> = {}): ChatView {
  return interruptedView({
    items: [
      userItem('u1', 'make the parser tolerant'),
      {
        kind: 'notice',
        id: 'd',
        severity: 'info',
        title: 'agentao continued here',
        description: 'It received only the text of the conversation above, with the message below.',
        buttons: [],
        at: noon,
      },
      {
        kind: 'user',
        id: 'u2',
        text: 'go on',
        attachments: [
          {
            kind: 'resource',
            label: 'Earlier conversation',
            text: '# Record of an earlier conversation\n\nThe user:\n> make the parser tolerant\n',
          },
        ],
        at: noon,
      },
    ],
    composer: {
      ...emptyView().composer,
      chips: [
        {
          id: 'earlier-conversation',
          label: 'Earlier conversation · 12 turns · 6 KB',
          title: 'Sent with your next message only.',
        },
      ],
    },
    ...changes,
  });
}

/** A message on hold that is long and has hardly a space. */
export function longHeldView(changes: Partial<ChatView> = {}): ChatView {
  return emptyView({
    items: [userItem('u1', 'hello'), agentItem('a1', 'Hello.')],
    held: [
      {
        title: '1 message on hold',
        text: 'It was not sent before ACP Host ended.',
        prompts: [{ id: 'h1', text: `what is this? ${'QUJD'.repeat(4_000)}` }],
        buttons: [{ action: 'sendHeld', label: 'Send Now' }],
      },
    ],
    ...changes,
  });
}

/** All of them, by their names in screenshots. */
export function recoveryViews(): Readonly<Record<string, ChatView>> {
  return {
    interrupted: interruptedView(),
    'load-failed': loadFailedView(),
    'failed-start': failedStartView(),
    'with-context': contextView(),
    'long-held': longHeldView(),
  };
}
