import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { isObject, isStateDirectory, parseYaml } from '@waygate/text';

const fileNames = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];
/** Fields of a kustomization that name files or directories, or hold objects that do. */
const pathFields = [
  'resources',
  'bases',
  'components',
  'crds',
  'configurations',
  'generators',
  'transformers',
  'validators',
  'patchesStrategicMerge',
  'patches',
  'patchesJson6902',
  'replacements',
  'openapi',
  'configMapGenerator',
  'secretGenerator',
];
const mostDirectories = 5_000;

/** The kustomization file of a directory. */
export function kustomizationIn(directory: string): string | undefined {
  return fileNames.map((name) => join(directory, name)).find((file) => existsSync(file));
}

/** Everything on this machine that a kustomization refers to, itself and through others. */
export function referredPaths(directory: string): readonly string[] {
  const seen = new Set<string>();
  const visit = (place: string): void => {
    if (seen.has(place)) return;
    seen.add(place);
    const file = kustomizationIn(place);
    if (file === undefined) return;
    for (const reference of referencesIn(file)) {
      const target = resolve(place, reference);
      if (!existsSync(target)) continue;
      if (statSync(target).isDirectory()) visit(target);
      else seen.add(target);
    }
  };
  visit(directory);
  return [...seen];
}

/** Texts of a kustomization that may be paths: whatever is not there is none. */
function referencesIn(file: string): string[] {
  let value: unknown;
  try {
    value = parseYaml(readFileSync(file, 'utf8'), { duplicateKeys: 'last' });
  } catch {
    // The build says what is wrong with it, better than can be said here.
    return [];
  }
  if (!isObject(value)) return [];
  const fields = value as Record<string, unknown>;
  return pathFields.flatMap((name) => textsIn(fields[name]));
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') {
    const plain = value.includes('\n') || value.includes('://') ? '' : value;
    // A generator's file may have a key before it.
    return plain === '' ? [] : [plain, plain.slice(plain.indexOf('=') + 1)];
  }
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

/** The smallest directory that holds all that a kustomization refers to. */
export function rootOf(directory: string): string {
  let root = directory;
  for (const path of referredPaths(directory)) while (!isWithin(path, root)) root = dirname(root);
  return root;
}

/** Directories with a kustomization below one that has none, but for those that others of them refer to. */
export function outermostKustomizations(directory: string): readonly string[] {
  const found = kustomizationsBelow(directory);
  const referred = new Set(
    found.flatMap((place) => referredPaths(place).filter((path) => path !== place)),
  );
  return found.filter((place) => !referred.has(place)).map((place) => relative(directory, place));
}

function kustomizationsBelow(directory: string): string[] {
  const found: string[] = [];
  const waiting = [directory];
  for (let count = 0; waiting.length > 0 && count < mostDirectories; count += 1) {
    const place = waiting.shift()!;
    if (place !== directory && kustomizationIn(place) !== undefined) found.push(place);
    for (const entry of readdirSync(place, { withFileTypes: true })) {
      if (!entry.isDirectory() || entry.name === 'node_modules' || entry.name.startsWith('.'))
        continue;
      const below = join(place, entry.name);
      if (!isStateDirectory(below)) waiting.push(below);
    }
  }
  return found.sort();
}

/** Plain manifests that are applied where no kustomization says which: from the directory. */
export function plainManifests(directory: string): readonly string[] {
  const found: string[] = [];
  const waiting = [directory];
  for (let count = 0; waiting.length > 0 && count < mostDirectories; count += 1) {
    const place = waiting.shift()!;
    for (const entry of readdirSync(place, { withFileTypes: true })) {
      const path = join(place, entry.name);
      if (entry.isDirectory()) {
        if (entry.name !== 'node_modules' && !entry.name.startsWith('.') && !isStateDirectory(path))
          waiting.push(path);
      } else if (/\.ya?ml$/.test(entry.name) && entry.name !== 'waygate.yaml')
        found.push(relative(directory, path));
    }
  }
  return found.sort();
}

function isWithin(path: string, directory: string): boolean {
  const way = relative(directory, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`));
}
