import { type FunctionTable, fn, str } from '../go/define.ts';

const base = fn([str], (_, path) => {
  if (path === '') return '.';
  const trimmed = path.replace(/\/+$/, '');
  return trimmed === '' ? '/' : trimmed.slice(trimmed.lastIndexOf('/') + 1);
});
const dir = fn([str], (_, path) => cleanPath(path.slice(0, path.lastIndexOf('/') + 1)));
const clean = fn([str], (_, path) => cleanPath(path));
const ext = fn([str], (_, path) => {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot < 0 ? '' : name.slice(dot);
});
const isAbs = fn([str], (_, path) => path.startsWith('/'));

/** Go's `path` functions; those of the system that renders are the same, as on Linux. */
export const pathFunctions: FunctionTable = {
  base,
  dir,
  clean,
  ext,
  isAbs,
  osBase: base,
  osDir: dir,
  osClean: clean,
  osExt: ext,
  osIsAbs: isAbs,
};

/** Go's path.Clean. */
function cleanPath(path: string): string {
  if (path === '') return '.';
  const isRooted = path.startsWith('/');
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (!isRooted) parts.push('..');
  }
  const joined = parts.join('/');
  return isRooted ? `/${joined}` : joined || '.';
}
