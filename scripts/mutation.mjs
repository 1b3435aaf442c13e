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
 * statement dropped, a number off by one, a truth turned, an `await` removed. Left alone are types, and
 * five things of which a change is no fault:
 * - a limit that is one more or less (a number of four digits or more, or a product of such a size);
 * - a time that is a millisecond longer (ten and more, under a name that ends in `Ms`);
 * - by how much a number grows that only tells one from another (`nextId += 1`);
 * - a line that is not logged (`log.warn(…)`), as no program reads it;
 * - a timer that keeps a process alive (`timer.unref()`), as a test ends its process anyway.
 */
export function mutationsOf(path, source) {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  const mutations = [];
  const add = (node, kind, text, { end = node.getEnd(), within = node } = {}) => {
    const start = node.getStart(file);
    mutations.push({
      kind,
      start,
      end,
      text,
      /** The expression that runs when the mutant can matter. */
      reach: { start: within.getStart(file), end: within.getEnd() },
      isOnLoad: runsOnLoad(node),
      line: file.getLineAndCharacterOfPosition(start).line + 1,
      before: oneLine(source.slice(start, end)),
      after: oneLine(text) || 'nothing',
    });
  };
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
    if (text !== undefined && !isJoined)
      add(node.operatorToken, 'operator', text, { within: node });
  }
  const condition = conditionOf(node);
  if (condition !== undefined) add(condition, 'condition', `!(${condition.getText(file)})`);
  if (ts.isExpressionStatement(node) && isDroppable(node))
    add(node, 'statement', ';', { within: node.expression });
  if (
    ts.isNumericLiteral(node) &&
    node.parent.name !== node &&
    !isLimit(node) &&
    !isTime(node) &&
    !isOnlyApart(node)
  )
    add(node, 'number', String(Number(node.text.replaceAll('_', '')) + 1));
  if (node.kind === SyntaxKind.TrueKeyword) add(node, 'truth', 'false');
  if (node.kind === SyntaxKind.FalseKeyword) add(node, 'truth', 'true');
  if (ts.isAwaitExpression(node)) add(node, 'await', '', { end: node.expression.getStart(file) });
}

/** True for what runs once, as its file is loaded: outside of functions and of fields of instances. */
function runsOnLoad(node) {
  for (let at = node.parent; at !== undefined; at = at.parent) {
    if (ts.isFunctionLike(at)) return false;
    if (ts.isPropertyDeclaration(at)) return isStatic(at);
  }
  return true;
}

function isStatic(node) {
  return (ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Static) !== 0;
}

/** The source with a probe around each mutant, which says its number when it is reached. */
export function withProbes(source, mutants) {
  const inserts = mutants.flatMap(({ number, reach: { start, end } }) => [
    { at: start, rank: -end, text: `(globalThis.__mutantReached?.(${number}),` },
    { at: end, rank: Number.NEGATIVE_INFINITY, text: ')' },
  ]);
  // What ends at a place is closed before what begins there is opened, and the outer is opened first.
  inserts.sort((one, other) => one.at - other.at || one.rank - other.rank);
  let text = '';
  let from = 0;
  for (const insert of inserts) {
    text += source.slice(from, insert.at) + insert.text;
    from = insert.at;
  }
  return text + source.slice(from);
}

function conditionOf(node) {
  if (ts.isIfStatement(node) || ts.isWhileStatement(node)) return node.expression;
  return ts.isConditionalExpression(node) ? node.condition : undefined;
}

/** The constructor of a parent has to be called: without that there is nothing to test. */
function isDroppable({ expression }) {
  if (ts.isStringLiteral(expression)) return false;
  if (!ts.isCallExpression(expression)) return true;
  const called = expression.expression;
  if (called.kind === SyntaxKind.SuperKeyword) return false;
  if (!ts.isPropertyAccessExpression(called)) return true;
  return called.name.text !== 'unref' && !/(^|\.)log$/.test(called.expression.getText());
}

/** A number of some size, or a factor of one: `5_000`, `64 * 1024`. */
function isLimit(node) {
  let whole = node;
  while (
    ts.isBinaryExpression(whole.parent) &&
    whole.parent.operatorToken.kind === SyntaxKind.AsteriskToken &&
    [whole.parent.left, whole.parent.right].every(isOnlyNumbers)
  )
    whole = whole.parent;
  return productOf(whole) >= 1_000;
}

/** `const restartDelayMs = 500`, `{ waitMs: 20 }`, `(timeoutMs = 50)`. */
function isTime(node) {
  const { parent } = node;
  const name = parent.initializer === node ? parent.name?.getText() : undefined;
  return Number(node.text) >= 10 && /(Ms|_MS)$/.test(name ?? '');
}

/** What is only to be another number each time. */
function isOnlyApart({ parent }) {
  return (
    ts.isBinaryExpression(parent) &&
    parent.operatorToken.kind === SyntaxKind.PlusEqualsToken &&
    /[nN]ext\w*Id$/.test(parent.left.getText())
  );
}

function isOnlyNumbers(node) {
  if (ts.isNumericLiteral(node)) return true;
  return (
    ts.isBinaryExpression(node) &&
    node.operatorToken.kind === SyntaxKind.AsteriskToken &&
    isOnlyNumbers(node.left) &&
    isOnlyNumbers(node.right)
  );
}

function productOf(node) {
  return ts.isNumericLiteral(node)
    ? Number(node.text.replaceAll('_', ''))
    : productOf(node.left) * productOf(node.right);
}

function isText(node) {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
}

function oneLine(text) {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > 60 ? `${line.slice(0, 57)}...` : line;
}
