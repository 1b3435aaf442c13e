// The names and licences of what other people wrote and a bundle contains: most of them ask for that.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './setup.mjs';

/** One text of the licences of all packages that these modules are from, and of those in the dashboard's page. */
export function thirdPartyNotices(modules) {
  const found = new Map();
  for (const directory of [...modules.flatMap(packageOf), ...pagePackages()]) {
    const manifest = read(directory);
    found.set(`${manifest.name} ${manifest.version}`, { directory, manifest });
  }
  const parts = [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(notice);
  return `This package contains the following packages of others.\n\n${parts.join('\n')}`;
}

function notice([title, { directory, manifest }]) {
  const file = readdirSync(directory).find((name) => /^licen[cs]e/i.test(name));
  const text = file === undefined ? '' : readFileSync(join(directory, file), 'utf8').trim();
  return `${'='.repeat(80)}\n${title} (${manifest.license})\n\n${text}\n`;
}

function packageOf(module) {
  const match = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module.replaceAll('\\', '/'));
  return match === null ? [] : [match[1]];
}

/** The page is built before: what it was built of is what its room names, and what that needs. */
function pagePackages() {
  const { devDependencies } = read(join(root, 'packages/dashboard'));
  const { vite: _, ...bundled } = devDependencies;
  const all = new Set();
  const add = (name, from) => {
    const directory = findPackage(name, from);
    if (directory === undefined || all.has(directory)) return;
    all.add(directory);
    for (const next of Object.keys(read(directory).dependencies ?? {})) add(next, directory);
  };
  for (const name of Object.keys(bundled)) add(name, join(root, 'packages/dashboard'));
  return all;
}

function findPackage(name, from) {
  for (let place = from; place.startsWith(root); place = dirname(place)) {
    const directory = join(place, 'node_modules', name);
    if (existsSync(join(directory, 'package.json'))) return directory;
  }
  return undefined;
}

function read(directory) {
  return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
}
