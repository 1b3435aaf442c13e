import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** A block of code of a page or a comment, as a module of its own. */
export interface Block {
  /** The module's path, beside the page; nothing is written there. */
  readonly path: string;
  /** `file:line` of the fence. */
  readonly place: string;
  readonly code: string;
  /** How many lines stand before the block's own first one. */
  readonly preludeLines: number;
  readonly firstLine: number;
  readonly file: string;
}

/** Rooms whose readers have a client of the API at hand. */
const clientRooms = new Set(['kube', 'runtime', 'apply', 'gitops', 'ingress', 'dashboard']);
const foreign = new Set(['node_modules', 'dist', '.git']);
/** By module: what it lets out, as one would write it in an import. */
const doors = new Map<string, ReadonlyMap<string, string>>();

/** Every ```ts block of the pages, and of the comments on what rooms export. */
export function codeBlocks(): Block[] {
  return [...pageBlocks(), ...commentBlocks()];
}

function pageBlocks(): Block[] {
  return filesBelow('')
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) =>
      fencesOf(readFileSync(join(root, file), 'utf8')).map(({ line, code }) =>
        blockOf(file, line, code),
      ),
    );
}

function commentBlocks(): Block[] {
  return filesBelow('packages/')
    .filter((file) => /\/src\/.*\.tsx?$/.test(file))
    .flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      if (file.endsWith('.test.ts') || !text.includes('* ```ts')) return [];
      const room = file.split('/')[1]!;
      const bare = text.replaceAll(/^[ \t]*\* ?/gm, '');
      return fencesOf(bare).map(({ line, code }) =>
        blockOf(file, line, code, `${importsOf(file, room, code)}${given(room, code)}`),
      );
    });
}

function filesBelow(directory: string): string[] {
  return readdirSync(join(root, directory), { withFileTypes: true }).flatMap((entry) => {
    const path = `${directory}${entry.name}`;
    if (!entry.isDirectory()) return [path];
    return foreign.has(entry.name) ? [] : filesBelow(`${path}/`);
  });
}

/** The blocks of a text, with the line (from 0) of their fence. */
function fencesOf(text: string): { line: number; code: string }[] {
  const found: { line: number; code: string }[] = [];
  let open: { line: number; lines: string[] } | undefined;
  for (const [line, content] of text.split('\n').entries()) {
    if (open !== undefined && content.trim() === '```') {
      found.push({ line: open.line, code: open.lines.join('\n') });
      open = undefined;
    } else if (open !== undefined) open.lines.push(content);
    else if (/^```(ts|typescript)\b/.test(content)) open = { line, lines: [] };
  }
  return found;
}

/** A block as a module, where its page is. */
export function blockOf(file: string, line: number, code: string, prelude = ''): Block {
  return {
    path: join(root, dirname(file), `.block-${line + 1}-of-${file.split('/').at(-1)}.ts`),
    place: `${file}:${line + 1}`,
    file,
    firstLine: line + 2,
    preludeLines: prelude.split('\n').length - 1,
    code: `${prelude}${code}\nexport {};\n`,
  };
}

/** What a block of a comment uses without an import: of its room, its file, and the rooms below it. */
function importsOf(file: string, room: string, code: string): string {
  const words = new Set([...code.matchAll(/\b[A-Za-z_]\w*\b/g)].map(([name]) => name));
  const free = new Set([...words].filter((name) => !isDeclaredIn(name, code)));
  const rooms = [room, ...dependenciesOf(room)].map((name) => `@waygate/${name}`);
  const lines = [rooms[0]!, `./${basename(file)}`, ...rooms.slice(1)].map((from) => {
    const door = from.startsWith('.') ? file : `packages/${from.slice(9)}/src/index.ts`;
    const names = [...exportsOf(join(root, door))].filter(([name]) => free.delete(name));
    if (names.length === 0) return '';
    return `import { ${names.map(([, written]) => written).join(', ')} } from '${from}';\n`;
  });
  return lines.join('');
}

function dependenciesOf(room: string): string[] {
  const text = readFileSync(join(root, 'packages', room, 'package.json'), 'utf8');
  const { dependencies = {} } = JSON.parse(text) as { dependencies?: Record<string, string> };
  return Object.keys(dependencies).flatMap((name) => /^@waygate\/(.+)$/.exec(name)?.[1] ?? []);
}

function isDeclaredIn(name: string, code: string): boolean {
  return new RegExp(`\\bimport\\b[^;]*\\b${name}\\b|\\b(const|let|function|class) ${name}\\b`).test(
    code,
  );
}

/** What a block may take for given. */
function given(room: string, code: string): string {
  const lines: string[] = [];
  const isFree = (name: string) =>
    new RegExp(`\\b${name}\\b`).test(code) && !isDeclaredIn(name, code);
  if (isFree('client') && clientRooms.has(room))
    lines.push("declare const client: import('@waygate/kube').KubeClient;");
  if (isFree('signal')) lines.push('declare const signal: AbortSignal;');
  return lines.map((line) => `${line}\n`).join('');
}

function exportsOf(path: string): ReadonlyMap<string, string> {
  const known = doors.get(path);
  if (known !== undefined) return known;
  const names = new Map<string, string>();
  doors.set(path, names);
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest);
  for (const statement of source.statements) {
    if (ts.isExportDeclaration(statement)) addReexports(statement, path, names);
    else if (isExported(statement)) {
      const isType = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
      for (const name of namesOf(statement)) names.set(name, isType ? `type ${name}` : name);
    }
  }
  return names;
}

function addReexports(statement: ts.ExportDeclaration, path: string, names: Map<string, string>) {
  const { exportClause, isTypeOnly, moduleSpecifier } = statement;
  if (exportClause === undefined && moduleSpecifier !== undefined) {
    const { text } = moduleSpecifier as ts.StringLiteral;
    for (const [name, written] of exportsOf(join(dirname(path), text)))
      names.set(name, isTypeOnly ? `type ${name}` : written);
  } else if (exportClause !== undefined && ts.isNamedExports(exportClause))
    for (const { name, isTypeOnly: isType } of exportClause.elements)
      names.set(name.text, isTypeOnly || isType ? `type ${name.text}` : name.text);
  else if (exportClause !== undefined) names.set(exportClause.name.text, exportClause.name.text);
}

function isExported(statement: ts.Statement): boolean {
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
}

function namesOf(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) =>
      ts.isIdentifier(name) ? [name.text] : [],
    );
  const { name } = statement as ts.DeclarationStatement;
  return name !== undefined && ts.isIdentifier(name) ? [name.text] : [];
}
