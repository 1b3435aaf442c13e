import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const files = new Map<string, ts.SourceFile>();

function parsed(path: string): ts.SourceFile {
  const known = files.get(path);
  if (known !== undefined) return known;
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  files.set(path, file);
  return file;
}

/** What a room's door lets out that runs: each name, and the file that it comes from. Types are read, not called. */
function exportedValues(room: string): readonly (readonly [name: string, path: string])[] {
  const door = join(root, 'packages', room, 'src', 'index.ts');
  return parsed(door).statements.flatMap((statement) => {
    if (!ts.isExportDeclaration(statement) || statement.isTypeOnly) return [];
    const { exportClause, moduleSpecifier } = statement;
    if (moduleSpecifier === undefined || !ts.isStringLiteral(moduleSpecifier)) return [];
    const path = join(dirname(door), moduleSpecifier.text);
    if (exportClause === undefined || !ts.isNamedExports(exportClause) || !existsSync(path))
      return [];
    return exportClause.elements
      .filter(({ isTypeOnly }) => !isTypeOnly)
      .map(({ name, propertyName }) => [(propertyName ?? name).text, path] as const);
  });
}

/** Functions and classes; what is a constant says itself what it is. */
function hasExample(name: string, path: string): boolean {
  const file = parsed(path);
  const declared = file.statements.find(
    (statement): statement is ts.FunctionDeclaration | ts.ClassDeclaration =>
      (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) &&
      statement.name?.text === name,
  );
  if (declared === undefined) return true;
  return ts
    .getJSDocCommentsAndTags(declared)
    .some((comment) => /```|@example/.test(comment.getText(file)));
}

/** Known gaps. */
const without: Readonly<Record<string, readonly string[]>> = {
  runtime: ['rivalText'],
  apply: ['changeOf', 'dryRunFailure'],
};

// The rooms that programs use as libraries.
test.each([
  'text',
  'schema',
  'kube',
  'runtime',
  'kustomize',
  'helm',
  'apply',
  'kong',
  'gateway',
  'passthrough',
  'apiserver',
])('every function and class that %s lets out has an example beside it', (room) => {
  const values = exportedValues(room);
  expect(values.length).toBeGreaterThan(0);
  const bare = values.filter(([name, path]) => !hasExample(name, path)).map(([name]) => name);
  expect(bare.filter((name) => !without[room]?.includes(name))).toEqual([]);
});
