/** Read-only documents of the editor with text that exists nowhere else: tool input and output, and both sides of a diff. */
import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../core/index.js';

const scheme = 'acp-host';
/** A window can have more tabs than the user reads; the oldest texts are dropped first. */
const maxDocuments = 100;

export interface Documents extends Disposable {
  /**
   * @param name shown in the tab; its extension determines the language
   * @param o `rendered`: renders the Markdown of the document, if the editor can
   */
  open(name: string, text: string, o?: { readonly rendered?: boolean }): Promise<void>;
  /**
   * Compares parts of a file, as plain text: a language service would find errors in what is no whole file.
   * @param path the path of the file, for the title
   */
  openDiff(path: string, before: string, after: string): Promise<void>;
}

export function createDocuments(): Documents {
  const store = new DisposableStore();
  const texts = new Map<string, string>();
  store.add(
    vscode.workspace.registerTextDocumentContentProvider(scheme, {
      provideTextDocumentContent: (uri) => texts.get(uri.toString()) ?? 'This text is no longer available. Open it again from the chat.',
    }),
  );
  const uriOf = (name: string, text: string): vscode.Uri => {
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
    const uri = vscode.Uri.from({ scheme, path: `/${name.replace(/^[\\/]+/, '')}`, query: hash });
    texts.set(uri.toString(), text);
    const oldest = texts.size > maxDocuments ? texts.keys().next().value : undefined;
    if (oldest !== undefined) texts.delete(oldest);
    return uri;
  };
  return {
    async open(name, text, { rendered = false } = {}) {
      const uri = uriOf(name, text);
      // The command belongs to a built-in extension, which the user may have disabled.
      if (rendered && (await vscode.commands.getCommands(true)).includes('markdown.showPreview'))
        await vscode.commands.executeCommand('markdown.showPreview', uri);
      else await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
    },
    async openDiff(path, before, after) {
      const name = path.split(/[\\/]/).at(-1) ?? path;
      await vscode.commands.executeCommand(
        'vscode.diff',
        uriOf(`before/${name} (before)`, before),
        uriOf(`after/${name} (proposed)`, after),
        `${name} (proposed)`,
        { preview: true },
      );
    },
    dispose: () => store.dispose(),
  };
}
