import ts from 'typescript';

const { SyntaxKind } = ts;

/** What a binary operator becomes. */
const swapped = new Map([
  [SyntaxKind.LessThanToken, '<='],
  [SyntaxKind.LessThanEqualsToken, '<'],
  [SyntaxKind.GreaterThanToken, '>='],
  [SyntaxKind.GreaterThanEqualsToken, '>'],
  [SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [SyntaxKind.AmpersandAmpersandToken, '||'],
  [SyntaxKind.BarBarToken, '&&'],
  [SyntaxKind.PlusToken, '-'],
  [SyntaxKind.MinusToken, '+'],
  [SyntaxKind.AsteriskToken, '/'],
]);

/**
 * Every small change that can be made to a source: an operator swapped, a condition negated, a
 * statement dropped, a number off by one, a truth turned, an `await` removed. Types are left alone.
 */
export function mutationsOf(path, source) {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  const mutations = [];
  const add = (node, kind, text, start = node.getStart(file), end = node.getEnd()) =>
    mutations.push({
      kind,
      start,
      end,
      text,
      line: file.getLineAndCharacterOfPosition(start).line + 1,
      before: oneLine(source.slice(start, end)),
      after: oneLine(text) || 'nothing',
    });
  const visit = (node) => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    mutate(node, file, add);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return mutations;
}

function mutate(node, file, add) {
  if (ts.isBinaryExpression(node)) {
    const text = swapped.get(node.operatorToken.kind);
    const isJoined = text === '-' && (isText(node.left) || isText(node.right));
    if (text !== undefined && !isJoined) add(node.operatorToken, 'operator', text);
  }
  const condition = conditionOf(node);
  if (condition !== undefined) add(condition, 'condition', `!(${condition.getText(file)})`);
  if (ts.isExpressionStatement(node) && isDroppable(node)) add(node, 'statement', ';');
  if (ts.isNumericLiteral(node) && !ts.isPropertyAssignment(node.parent?.parent ?? node))
    add(node, 'number', String(Number(node.text.replaceAll('_', '')) + 1));
  if (node.kind === SyntaxKind.TrueKeyword) add(node, 'truth', 'false');
  if (node.kind === SyntaxKind.FalseKeyword) add(node, 'truth', 'true');
  if (ts.isAwaitExpression(node))
    add(node, 'await', '', node.getStart(file), node.expression.getStart(file));
}

function conditionOf(node) {
  if (ts.isIfStatement(node) || ts.isWhileStatement(node)) return node.expression;
  return ts.isConditionalExpression(node) ? node.condition : undefined;
}

/** The constructor of a parent has to be called: without that there is nothing to test. */
function isDroppable({ expression }) {
  if (ts.isStringLiteral(expression)) return false;
  return !(
    ts.isCallExpression(expression) && expression.expression.kind === SyntaxKind.SuperKeyword
  );
}

function isText(node) {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
}

function oneLine(text) {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > 60 ? `${line.slice(0, 57)}...` : line;
}
