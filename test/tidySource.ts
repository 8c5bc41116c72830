/** The sources of the project, as far as the rules need them. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

export const root: string = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
export const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

export interface Import {
  readonly specifier: string;
  readonly typeOnly: boolean;
}
export interface SourceFile {
  /** Relative to the project, with slashes. */
  readonly path: string;
  readonly imports: readonly Import[];
  /** All identifiers in the code, but not in comments and strings. */
  readonly names: ReadonlySet<string>;
  /** All string literals, including parts of templates, markup and regular expressions. */
  readonly literals: readonly string[];
  /** 1-based lines with `any` or a cast through `unknown`. */
  readonly holes: readonly number[];
}

/** Files that git tracks, and new ones that it does not ignore. Relative to the project. */
export const tracked: readonly string[] = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && ts.sys.fileExists(path.join(root, file)));
export const sources: readonly SourceFile[] = tracked
  .filter((file) => /^src\/.*(?<!\.d)\.tsx?$/.test(file))
  .map((file) => parseSource(file, read(file)));

/** @param text the content of the file, which need not exist on disk */
export function parseSource(file: string, text: string): SourceFile {
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true, file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS);
  const imports: Import[] = [];
  const names = new Set<string>();
  const literals: string[] = [];
  const holes: number[] = [];
  const visit = (node: ts.Node): void => {
    if (isHole(node)) holes.push(tree.getLineAndCharacterOfPosition(node.getStart()).line + 1);
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) names.add(node.text);
    if (isText(node)) literals.push(node.text);
    const found = importOf(node);
    if (found !== undefined) imports.push(found);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return { path: file, imports, names, literals, holes };
}

function isText(node: ts.Node): node is ts.LiteralLikeNode {
  const piece = ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node) || ts.isJsxText(node);
  return piece || ts.isStringLiteralLike(node) || ts.isRegularExpressionLiteral(node);
}

function isHole(node: ts.Node): boolean {
  return (
    node.kind === ts.SyntaxKind.AnyKeyword ||
    (ts.isAsExpression(node) && ts.isAsExpression(node.expression) && node.expression.type.kind === ts.SyntaxKind.UnknownKeyword)
  );
}

function importOf(node: ts.Node): Import | undefined {
  if (
    (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) &&
    node.moduleSpecifier !== undefined &&
    ts.isStringLiteral(node.moduleSpecifier)
  ) {
    return { specifier: node.moduleSpecifier.text, typeOnly: isTypeOnly(node) };
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument) && ts.isStringLiteral(node.argument.literal)) {
    return { specifier: node.argument.literal.text, typeOnly: true };
  }
  if (
    ts.isCallExpression(node) &&
    node.expression.kind === ts.SyntaxKind.ImportKeyword &&
    node.arguments[0] !== undefined &&
    ts.isStringLiteral(node.arguments[0])
  ) {
    return { specifier: node.arguments[0].text, typeOnly: false };
  }
  return undefined;
}

function isTypeOnly(node: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
  if (ts.isExportDeclaration(node)) return node.isTypeOnly;
  const { importClause } = node;
  if (importClause === undefined) return false;
  if (importClause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const { name, namedBindings } = importClause;
  return (
    name === undefined &&
    namedBindings !== undefined &&
    ts.isNamedImports(namedBindings) &&
    namedBindings.elements.every((element) => element.isTypeOnly)
  );
}
