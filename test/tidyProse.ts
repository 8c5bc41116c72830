/** Finds sentences for users where there must be none: the core uses codes (src/text has the sentences). */
import ts from 'typescript';

/** Calls and constructors whose texts are only for logs, for programmers, or for the program at the other end of the wire. */
const notForPeople: readonly { readonly what: string; readonly isText: (node: ts.Node) => boolean }[] = [
  { what: 'a line of the log', isText: (node) => ts.isCallExpression(node) && isLogCall(node.expression) },
  {
    what: 'a mistake of a programmer, or an answer on the wire',
    isText: (node) =>
      ts.isNewExpression(node) &&
      ts.isIdentifier(node.expression) &&
      /^(?:Error|TypeError|AggregateError|RpcError|ResponseError)$/.test(node.expression.text),
  },
  {
    what: 'a problem that is handed to the log, or a refusal on the wire',
    isText: (node) => ts.isCallExpression(node) && /^(?:report|refuse|prettifyError)$/.test(lastName(node.expression)),
  },
];

/** @returns each sentence with its 1-based line; `${…}` stands for the expressions of a template */
export function proseIn(file: string, text: string): readonly string[] {
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (notForPeople.some(({ isText }) => isText(node))) return;
    const words = textOf(node);
    if (words !== undefined && isProse(words))
      found.push(`${file}:${tree.getLineAndCharacterOfPosition(node.getStart()).line + 1}: ${words}`);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

function isProse(words: string): boolean {
  const filled = words.replaceAll('${…}', 'X');
  return /\p{L}+,? \p{L}+,? \p{L}+/u.test(filled) && (/^\P{L}*\p{Lu}/u.test(filled) || /[.!?…:]\s*$/.test(filled));
}

function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  return ts.isTemplateExpression(node) ? [node.head.text, ...node.templateSpans.map((span) => span.literal.text)].join('${…}') : undefined;
}

/** `log.warn(…)`, `this.#parts.log?.error(…)`. */
function isLogCall(callee: ts.Expression): boolean {
  return (
    ts.isPropertyAccessExpression(callee) &&
    /^(?:trace|debug|info|warn|error)$/.test(callee.name.text) &&
    /^#?log$/.test(lastName(callee.expression))
  );
}

function lastName(expression: ts.Expression): string {
  if (ts.isPropertyAccessExpression(expression)) return expression.name.text;
  return ts.isIdentifier(expression) ? expression.text : '';
}
