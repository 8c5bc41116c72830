/** Finds the headings of Markdown files, to which links lead by names such as `#getting-started`. */
import * as vscode from 'vscode';

/**
 * @param path absolute; a file that may be opened
 * @param rest the end of a link, decoded, from its first `#` or `?`
 * @returns 1-based; undefined if the file is not Markdown, or has no such heading
 * @throws VS Code's error if the file cannot be read
 */
export async function lineOfHeading(path: string, rest: string): Promise<number | undefined> {
  const name = /#(.+)$/s.exec(rest)?.[1];
  if (name === undefined || !/\.(?:md|markdown|mdx|mkd)$/i.test(path)) return undefined;
  const bytes = await vscode.workspace.fs.readFile(vscode.Uri.file(path));
  return lineNamed(new TextDecoder().decode(bytes), name);
}

/**
 * Names headings as GitHub does: in lower case without punctuation, with hyphens for blanks, and a number for each repetition.
 * @param name of a heading, or of an anchor in HTML
 * @returns 1-based; undefined if there is none
 */
export function lineNamed(text: string, name: string): number | undefined {
  const lines = text.split(/\r\n|\r|\n/);
  const seen = new Map<string, number>();
  let fence: string | undefined;
  for (const [index, line] of lines.entries()) {
    const marker = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (marker !== undefined && (fence === undefined || marker.startsWith(fence))) fence = fence === undefined ? marker : undefined;
    if (fence !== undefined || marker !== undefined) continue;
    if (anchors(line).includes(name)) return index + 1;
    const isUnderlined = /^ {0,3}(?:=+|-+)\s*$/.test(lines[index + 1] ?? '') && /\S/.test(line);
    const words = /^ {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/.exec(line)?.[1] ?? (isUnderlined ? line : undefined);
    if (words === undefined) continue;
    const slug = slugOf(words);
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    if ((count === 0 ? slug : `${slug}-${count}`) === name.toLowerCase()) return index + 1;
  }
  return undefined;
}

/** The names of the anchors in a line: `<a id="x">`, `<h2 name='x'>`, `{#x}`. */
function anchors(line: string): readonly (string | undefined)[] {
  return [...line.matchAll(/<[a-z]\w*\s[^>]*?\b(?:id|name)=["']([^"']+)["']|\{#([^}\s]+)\}/gi)].map((match) => match[1] ?? match[2]);
}

function slugOf(heading: string): string {
  const words = heading.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/<[^>]*>/g, '');
  return words
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}
