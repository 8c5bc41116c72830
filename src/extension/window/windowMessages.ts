/** The messages, questions and texts of the window. Every room shows them with these functions, because agents write parts of them. */
import * as vscode from 'vscode';
import { withoutDirection } from '../../text/plainText.js';

/**
 * Shows a message that stays while the user works.
 * @param labels of the buttons
 * @returns the label of the chosen button; undefined if the user closed the message
 */
export async function showMessage(
  severity: 'information' | 'error',
  text: string,
  ...labels: readonly string[]
): Promise<string | undefined> {
  const { window } = vscode;
  const plain = withoutLinks(text);
  return severity === 'error' ? window.showErrorMessage(plain, ...labels) : window.showInformationMessage(plain, ...labels);
}

/** Opens a text as a Markdown document that is not saved. */
export async function openMarkdown(content: string): Promise<void> {
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language: 'markdown', content }), { preview: false });
}

const briefMs = 8_000;

/** Shows a message in the status bar for a moment: one that asks for nothing. */
export function showBriefly(text: string): void {
  vscode.window.setStatusBarMessage(plainLabel(text), briefMs);
}

/** Text of others as a label, or as a part of one: VS Code would render `$(name)` as an icon, and other text beside it backwards. */
export function plainLabel(text: string): string {
  return withoutDirection(text).replaceAll('$(', '$ (');
}

/**
 * Shows a message with a button to cancel until the work ends.
 * @param work its `report` shows the current step
 */
export async function showProgress<T>(
  title: string,
  work: (report: (step: string) => void, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: withoutLinks(title), cancellable: true },
    async (progress, token) => {
      const abort = new AbortController();
      const subscription = token.onCancellationRequested(() => abort.abort());
      try {
        return await work((step) => progress.report({ message: withoutLinks(step) }), abort.signal);
      } finally {
        subscription.dispose();
      }
    },
  );
}

/** Asks a question that the user must answer before anything else. VS Code shows it as plain text. */
export async function confirm(question: string, detail: string, yes: string): Promise<boolean> {
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, yes)) === yes;
}

/** Asks a question with several answers. @returns the label of the chosen one; undefined if the user closed the question */
export function choose(question: string, detail: string, ...labels: readonly string[]): Promise<string | undefined> {
  return Promise.resolve(vscode.window.showInformationMessage(question, { modal: true, detail }, ...labels));
}

/**
 * Asks for a text in an input box. The box stays open when it loses the focus, because the text is often copied from elsewhere.
 * @returns undefined if the user canceled
 */
export function askForText({ prompt, ...options }: vscode.InputBoxOptions & { readonly prompt: string }): Promise<string | undefined> {
  // VS Code renders icons and links in the prompt (src/vs/platform/quickinput/browser/quickInputUtils.ts).
  const plain = plainLabel(withoutLinks(prompt));
  return Promise.resolve(vscode.window.showInputBox({ ...options, prompt: plain, ignoreFocusOut: true }));
}

/**
 * VS Code makes a link of `[words](command:…)` in a message, and a click on it runs the command (microsoft/vscode
 * src/vs/base/common/linkedText.ts). With a space before the parenthesis, it is text.
 */
function withoutLinks(text: string): string {
  return text.replaceAll('](', '] (');
}
