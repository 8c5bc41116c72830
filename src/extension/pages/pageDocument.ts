/** The document of a webview: media/page.html with its URLs filled in, and a policy that prevents loading anything from elsewhere. */
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { Surface } from '../../contract/messages.js';

const pageStyles = ['base.css', 'transcript.css', 'page.css'];

export type PageDocument = Surface | 'traffic';

/** Where a page is, because its surroundings have different colors there. */
export type PagePlace = 'view' | 'editor';

/** The script and styles of each page; chat and prompts are two surfaces of the same page. */
const bundles: Readonly<Record<PageDocument, { readonly script: string; readonly styles: readonly string[] }>> = {
  chat: { script: 'page.js', styles: pageStyles },
  prompts: { script: 'page.js', styles: pageStyles },
  traffic: { script: 'traffic.js', styles: ['base.css', 'traffic.css'] },
};

/** Loads the page into the webview. No listener is needed yet, because the page sends `ready` when it is ready. */
export async function loadPage(
  { webview, place }: { readonly webview: vscode.Webview; readonly place: PagePlace },
  extensionUri: vscode.Uri,
  surface: PageDocument,
): Promise<void> {
  webview.options = { enableScripts: true, localResourceRoots: pageRoots(extensionUri) };
  const template = new TextDecoder().decode(await vscode.workspace.fs.readFile(vscode.Uri.joinPath(extensionUri, 'media', 'page.html')));
  const addressOf = (...segments: string[]): string => webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, ...segments)).toString();
  webview.html = fillTemplate(template, {
    surface,
    place,
    nonce: randomBytes(16).toString('base64'),
    cspSource: webview.cspSource,
    scriptUri: addressOf('dist', 'webview', bundles[surface].script),
    styleLinks: bundles[surface].styles.map((name) => `<link rel="stylesheet" href="${addressOf('media', name)}">`).join('\n  '),
    codiconUri: addressOf('dist', 'webview', 'codicon.css'),
  });
}

/** The icon of a tab: `panel-waiting` if the user is needed there, `panel-done` if something ended there out of sight. */
export type TabLook = 'panel' | 'panel-waiting' | 'panel-done';

/** The tab of a panel does not apply colors to its icon. */
export function panelIcon(extensionUri: vscode.Uri, look: TabLook) {
  const file = (theme: string): vscode.Uri => vscode.Uri.joinPath(extensionUri, 'media', `${look}-${theme}.svg`);
  return { light: file('light'), dark: file('dark') };
}

function pageRoots(extensionUri: vscode.Uri): vscode.Uri[] {
  return [vscode.Uri.joinPath(extensionUri, 'dist', 'webview'), vscode.Uri.joinPath(extensionUri, 'media')];
}

function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`media/page.html asks for {{${name}}}, which nobody fills in`);
    return value;
  });
}
