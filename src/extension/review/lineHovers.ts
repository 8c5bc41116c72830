/** Hovers of lines that turns wrote: which conversation it was, with a link to the turn. */
import * as vscode from 'vscode';
import { commandOf } from '../../contract/userActions.js';
import { type Disposable, type EngineClient, revealOnOneLine } from '../../core/index.js';
import { type LineHere, lineOf } from '../editor/lineHere.js';

export interface LineHoverParts {
  readonly engine: Pick<EngineClient, 'call' | 'connection'> & { readonly list: Pick<EngineClient['list'], 'state'> };
}

/** How long it is known that no turn changed a file. */
const unchangedMs = 10_000;

export function createLineHovers({ engine }: LineHoverParts): Disposable {
  /** The files that no turn had changed, by their URIs, each with when that was. */
  const unchanged = new Map<string, number>();

  /** Without asking for a text that may be large. */
  const isChanged = async (uri: string, { cwd, path }: LineHere): Promise<boolean> => {
    if (Date.now() - (unchanged.get(uri) ?? Number.NEGATIVE_INFINITY) < unchangedMs) return false;
    const found = await engine.call('is_changed', { cwd, path });
    if (found) unchanged.delete(uri);
    else unchanged.set(uri, Date.now());
    return found;
  };

  return vscode.languages.registerHoverProvider(
    { scheme: 'file' },
    {
      async provideHover(document, position, token) {
        // Nothing is started for a hover.
        if (engine.connection.state !== 'connected' || engine.list.state.conversations.length === 0) return undefined;
        const [uri, place] = [document.uri.toString(), lineOf(document, position.line + 1)];
        try {
          if (place === undefined || !(await isChanged(uri, place)) || token.isCancellationRequested) return undefined;
          const origin = await engine.call('line_origin', place);
          const entry = engine.list.state.conversations.find(({ id }) => id === origin?.conversationId);
          return entry && new vscode.Hover(textFor(entry.title ?? entry.firstWords ?? '', [uri, String(place.line)]));
        } catch {
          // Who wants to know runs the command, which says what failed.
          return undefined;
        }
      },
    },
  );
}

function textFor(title: string, where: readonly string[]): vscode.MarkdownString {
  const command = commandOf('showTurnOfLine') ?? '';
  const text = new vscode.MarkdownString('Written in ', true);
  text.isTrusted = { enabledCommands: [command] };
  const label = new vscode.MarkdownString().appendText(revealOnOneLine(title) || 'a conversation').value;
  return text.appendMarkdown(
    `[${label}](command:${command}?${encodeURIComponent(JSON.stringify(where))} "Show Turn That Wrote This Line")`,
  );
}
