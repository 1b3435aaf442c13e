// What a room lets out, as text: every exported declaration without its comments, and those behind them that a
// user meets in a signature. The reports lie beside the rooms, so that a change of a public type shows in review.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import ts from 'typescript';

const printer = ts.createPrinter({ removeComments: true, omitTrailingSemicolon: true });

/** The report of the compiled door `index.d.ts` of a room. */
export function apiReport(name, door) {
  const modules = new Map();
  const exported = exportsOf(door, modules);
  const shown = new Map();
  for (const [outer, { file, inner }] of exported) show(file, inner, shown, modules, outer);
  const names = new Set([...exported.values()].map(({ file, inner }) => `${file}#${inner}`));
  const parts = [...shown.entries()].map(([key, { title, text }]) => ({
    title,
    text,
    isExported: names.has(key),
  }));
  const block = (isExported) =>
    parts
      .filter((part) => part.isExported === isExported && part.text !== '')
      .sort((a, b) => (a.title < b.title ? -1 : 1))
      .map(({ text }) => `${text}\n`)
      .join('\n');
  const reached = block(false);
  return [
    `What ${name} exports, without comments. Made by \`npm run docs\`; a change here is a change for its users.\n`,
    block(true),
    ...(reached === '' ? [] : ['Not exported, but met in what is:\n', reached]),
  ].join('\n');
}

/** By name outside: the file that declares it and its name there. Names of other packages are left to them. */
function exportsOf(path, modules) {
  const { source, imports } = moduleAt(path, modules);
  const found = new Map();
  for (const statement of source.statements) {
    if (ts.isExportDeclaration(statement)) {
      const from = statement.moduleSpecifier?.text;
      const target = from === undefined ? path : declarationFile(path, from);
      if (statement.exportClause === undefined) {
        if (target !== undefined)
          for (const [name, place] of exportsOf(target, modules)) found.set(name, place);
      } else if (ts.isNamedExports(statement.exportClause))
        for (const { name, propertyName } of statement.exportClause.elements) {
          const inner = (propertyName ?? name).text;
          const passed = target === path ? imports.get(inner) : undefined;
          found.set(name.text, placeOf(passed?.file ?? target, passed?.inner ?? inner, modules));
        }
    } else if (isExported(statement))
      for (const name of namesOf(statement)) found.set(name, { file: path, inner: name });
  }
  return found;
}

/** Where a name that is passed on comes from in the end. */
function placeOf(file, inner, modules) {
  if (file === undefined || !file.endsWith('.d.ts')) return { file: file ?? '', inner };
  if (moduleAt(file, modules).declared.has(inner)) return { file, inner };
  return exportsOf(file, modules).get(inner) ?? { file, inner };
}

function show(file, inner, shown, modules, title = inner) {
  const key = `${file}#${inner}`;
  if (shown.has(key)) return;
  if (!file.endsWith('.d.ts')) {
    shown.set(key, { title, text: `${title}: of ${file}` });
    return;
  }
  const { source, declared, imports } = moduleAt(file, modules);
  const statements = declared.get(inner) ?? [];
  // Tables that a program wrote are told by name: whoever changes them changes their source.
  const text = file.includes('/generated/')
    ? `${title}: generated`
    : statements.map((statement) => textOf(statement, source, title, inner)).join('\n');
  shown.set(key, { title, text });
  if (file.includes('/generated/')) return;
  for (const name of statements.flatMap(typeNames)) {
    const from = imports.get(name);
    if (declared.has(name)) show(file, name, shown, modules);
    else if (from?.file?.endsWith('.d.ts')) {
      const place = placeOf(from.file, from.inner, modules);
      show(place.file, place.inner, shown, modules);
    }
  }
}

function textOf(statement, source, title, inner) {
  const text = printer
    .printNode(ts.EmitHint.Unspecified, statement, source)
    .replaceAll(/^(export |declare )+/gm, '')
    // What is private is nobody's.
    .replaceAll(/^ +(#private|private .*);\n/gm, '')
    .replaceAll('    ', '  ');
  return title === inner ? text : `${text}  // as ${title}`;
}

function moduleAt(path, modules) {
  const known = modules.get(path);
  if (known !== undefined) return known;
  const source = ts.createSourceFile(
    path,
    readFileSync(path, 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  );
  const declared = new Map();
  const imports = new Map();
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement)) {
      const { namedBindings } = statement.importClause ?? {};
      const file = declarationFile(path, statement.moduleSpecifier.text);
      if (namedBindings !== undefined && ts.isNamedImports(namedBindings))
        for (const { name, propertyName } of namedBindings.elements)
          imports.set(name.text, { file, inner: (propertyName ?? name).text });
    } else
      for (const name of namesOf(statement))
        declared.set(name, [...(declared.get(name) ?? []), statement]);
  }
  const module = { source, declared, imports };
  modules.set(path, module);
  return module;
}

/** The file of a neighbour; of another package its name. */
function declarationFile(path, from) {
  if (!from.startsWith('.')) return from;
  const file = resolve(dirname(path), from.replace(/\.[jt]s$/, '.d.ts'));
  return existsSync(file) ? file : undefined;
}

function typeNames(statement) {
  const names = new Set();
  const visit = (node) => {
    if (ts.isTypeReferenceNode(node) && ts.isIdentifier(node.typeName))
      names.add(node.typeName.text);
    if (ts.isExpressionWithTypeArguments(node) && ts.isIdentifier(node.expression))
      names.add(node.expression.text);
    if (ts.isTypeQueryNode(node) && ts.isIdentifier(node.exprName)) names.add(node.exprName.text);
    if (!isPrivate(node)) ts.forEachChild(node, visit);
  };
  visit(statement);
  return [...names];
}

function isPrivate(node) {
  return ts.canHaveModifiers(node)
    ? (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword)
    : false;
}

function isExported(statement) {
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
}

function namesOf(statement) {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) =>
      ts.isIdentifier(name) ? [name.text] : [],
    );
  return statement.name !== undefined && ts.isIdentifier(statement.name)
    ? [statement.name.text]
    : [];
}

/** The reports of all rooms that are libraries, by path; each is made when it is called for. */
export function apiReports(root) {
  const libraries = readdirSync(join(root, 'packages')).filter((room) => room !== 'cli');
  return Object.fromEntries(
    libraries.map((room) => [
      `packages/${room}/api.txt`,
      () => apiReport(`@waygate/${room}`, join(root, `packages/${room}/dist/index.d.ts`)),
    ]),
  );
}
