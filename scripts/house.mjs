// `npm run house`: what it costs to carry the house on, counted: lines, comments, folders in circles,
// exported names, casts, the longest functions, how long the program takes to start. With `--before REV`
// the sources of another commit are counted beside it, and with `--markdown FILE` the tables are written.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { given } from './given.mjs';
import { plainEnvironment, root } from './setup.mjs';

const { values } = given('usage: npm run house -- [--before REV] [--markdown FILE] [--starts N]', {
  options: {
    before: { type: 'string' },
    markdown: { type: 'string' },
    /** How often a program is started; the quickest counts. */
    starts: { type: 'string', default: '10' },
  },
});

const now = measure(root);
const before = values.before === undefined ? undefined : measureAt(values.before);
const text = [roomTable(now, before), houseTable(now, before), functionTable(now)].join('\n');
if (values.markdown === undefined) console.log(text);
else writeFileSync(values.markdown, text);

function measureAt(revision) {
  const directory = mkdtempSync(join(tmpdir(), 'waygate-house-'));
  try {
    const archive = execFileSync('git', ['archive', revision, 'packages'], {
      cwd: root,
      maxBuffer: 2 ** 30,
    });
    execFileSync('tar', ['x', '-C', directory], { input: archive });
    return measure(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function measure(directory) {
  const rooms = readdirSync(join(directory, 'packages')).sort();
  return {
    rooms: new Map(rooms.map((room) => [room, measureRoom(join(directory, 'packages', room))])),
    starts: directory === root ? startsOf() : undefined,
  };
}

function measureRoom(room) {
  const sum = { files: 0, code: 0, comments: 0, casts: 0, exported: 0, circles: [], functions: [] };
  const edges = new Map();
  for (const path of sourcesOf(room)) {
    const source = readFileSync(path, 'utf8');
    const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
    const lines = linesOf(file, source);
    sum.files += 1;
    sum.code += lines.code;
    sum.comments += lines.comments;
    if (path === join(room, 'src', 'index.ts')) sum.exported = exportedBy(file);
    visit(file, (node) => {
      if (ts.isAsExpression(node) && node.type.getText(file) !== 'const') sum.casts += 1;
      if (ts.isFunctionLike(node) && node.body !== undefined)
        sum.functions.push(functionOf(node, file, relative(dirname(dirname(room)), path)));
    });
    for (const to of importsOf(file, path))
      addEdge(edges, folderOf(room, path), folderOf(room, to));
  }
  sum.circles = circlesOf(edges);
  return sum;
}

function sourcesOf(room) {
  return [join(room, 'src'), join(room, 'web', 'src')]
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/\.test\.tsx?$|\/(generated|testing|fixtures|simulation)\//.test(path))
    .sort();
}

/** Lines with something on them: those that a token of the program is on, and comments. */
function linesOf(file, source) {
  const coded = new Set();
  const mark = (node) => {
    if (ts.isJSDoc(node)) return;
    const children = node.getChildren(file);
    for (const child of children) mark(child);
    if (children.length > 0 || node.getEnd() === node.getStart(file)) return;
    const first = file.getLineAndCharacterOfPosition(node.getStart(file)).line;
    const last = file.getLineAndCharacterOfPosition(node.getEnd()).line;
    for (let line = first; line <= last; line++) coded.add(line);
  };
  mark(file);
  const filled = source.split('\n').filter((line) => line.trim() !== '').length;
  return { code: coded.size, comments: Math.max(0, filled - coded.size) };
}

function visit(node, see) {
  see(node);
  ts.forEachChild(node, (child) => visit(child, see));
}

function functionOf(node, file, path) {
  const line = (position) => file.getLineAndCharacterOfPosition(position).line + 1;
  const from = line(node.getStart(file));
  const name = node.name?.getText(file) ?? node.parent?.name?.getText(file) ?? 'a function';
  return { name, place: `${path}:${from}`, lines: line(node.getEnd()) - from + 1 };
}

function exportedBy(file) {
  return file.statements
    .filter(ts.isExportDeclaration)
    .reduce((sum, { exportClause }) => sum + (exportClause?.elements?.length ?? 0), 0);
}

function importsOf(file, path) {
  return file.statements
    .filter((node) => ts.isImportDeclaration(node) || ts.isExportDeclaration(node))
    .map(({ moduleSpecifier }) => moduleSpecifier?.text)
    .filter((specifier) => specifier?.startsWith('.'))
    .map((specifier) => resolve(dirname(path), specifier));
}

/** The folder right below a room's sources; undefined for the files that stand in none. */
function folderOf(room, path) {
  const [, folder, file] = relative(room, path).split('/');
  return file === undefined ? undefined : folder;
}

function addEdge(edges, from, to) {
  if (from === undefined || to === undefined || from === to) return;
  edges.set(from, (edges.get(from) ?? new Set()).add(to));
}

/** The folders that lead back to themselves. */
function circlesOf(edges) {
  return [...edges.keys()].filter((start) => {
    const seen = new Set();
    const next = [...edges.get(start)];
    for (let folder = next.pop(); folder !== undefined; folder = next.pop()) {
      if (folder === start) return true;
      if (seen.has(folder)) continue;
      seen.add(folder);
      next.push(...(edges.get(folder) ?? []));
    }
    return false;
  });
}

/** The quickest of some starts, in milliseconds, of programs that are built. */
function startsOf() {
  const program = join(root, 'packages', 'cli', 'dist', 'bundle', 'main.js');
  if (!existsSync(program)) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'waygate-house-'));
  try {
    writeFileSync(join(folder, 'kustomization.yaml'), 'resources: [map.yaml]\nnamePrefix: a-\n');
    writeFileSync(
      join(folder, 'map.yaml'),
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\n',
    );
    return new Map([
      ['waygate version', quickest(program, ['version'])],
      ['waygate build (one ConfigMap)', quickest(program, ['build', folder])],
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function quickest(program, args) {
  let best = Number.POSITIVE_INFINITY;
  for (let count = 0; count < Number(values.starts); count++) {
    const startedAt = performance.now();
    const { status, stderr } = spawnSync(process.execPath, [program, ...args], {
      encoding: 'utf8',
      env: { ...process.env, ...plainEnvironment },
    });
    if (status !== 0) throw new Error(`waygate ${args[0]} failed: ${stderr}`);
    best = Math.min(best, performance.now() - startedAt);
  }
  return best;
}

function roomTable(now, before) {
  const names = [...new Set([...now.rooms.keys(), ...(before?.rooms.keys() ?? [])])].sort();
  const row = (name, ...cells) => `| ${[name, ...cells].join(' | ')} |`;
  const of = (room) => [room.files, room.code, share(room), room.exported, room.casts];
  const heads = ['files', 'lines of code', 'comments', 'exported names', '`as`'];
  const titles =
    before === undefined ? heads : [...heads.map((head) => `${head} before`), ...heads];
  return [
    row('room', ...titles),
    row('---', ...titles.map(() => '---:')),
    ...names.map((name) =>
      row(
        name,
        ...(before === undefined ? [] : of(before.rooms.get(name) ?? nothing())),
        ...of(now.rooms.get(name) ?? nothing()),
      ),
    ),
    row('**all**', ...(before === undefined ? [] : of(whole(before))), ...of(whole(now))),
    '',
  ].join('\n');
}

function houseTable(now, before) {
  const rows = [
    ['folders in circles', ({ circles }) => circles.length],
    ['functions over 100 lines', ({ functions }) => longer(functions, 100)],
    ['functions over 60 lines', ({ functions }) => longer(functions, 60)],
  ].map(([name, of]) => [name, before && of(whole(before)), of(whole(now))]);
  for (const [name, ms] of now.starts ?? [])
    rows.push([`${name}, quickest of ${values.starts} starts`, '', `${ms.toFixed(0)} ms`]);
  const head =
    before === undefined
      ? '| | now |\n| --- | ---: |'
      : '| | before | now |\n| --- | ---: | ---: |';
  return `${head}\n${rows
    .map(
      ([name, was, is]) => `| ${[name, ...(before === undefined ? [] : [was]), is].join(' | ')} |`,
    )
    .join('\n')}\n`;
}

function functionTable(now) {
  const longest = whole(now)
    .functions.sort((one, other) => other.lines - one.lines)
    .slice(0, 8);
  return `| longest functions | lines |\n| --- | ---: |\n${longest
    .map(({ name, place, lines }) => `| \`${name}\` (${place}) | ${lines} |`)
    .join('\n')}\n`;
}

function longer(functions, most) {
  return functions.filter(({ lines }) => lines > most).length;
}

function share({ code, comments }) {
  return code + comments === 0 ? '' : `${((100 * comments) / (code + comments)).toFixed(1)} %`;
}

function nothing() {
  return { files: 0, code: 0, comments: 0, casts: 0, exported: 0, circles: [], functions: [] };
}

function whole({ rooms }) {
  return [...rooms.values()].reduce(
    (sum, room) => ({
      files: sum.files + room.files,
      code: sum.code + room.code,
      comments: sum.comments + room.comments,
      casts: sum.casts + room.casts,
      exported: sum.exported + room.exported,
      circles: [...sum.circles, ...room.circles],
      functions: [...sum.functions, ...room.functions],
    }),
    nothing(),
  );
}
