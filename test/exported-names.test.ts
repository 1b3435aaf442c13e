import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

// A name that two rooms export for two things is read wrongly by whoever uses both. One thing may be
// passed on by a second room.

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Names that two rooms may have, with the reason. */
const allowed: Readonly<Record<string, string>> = {
  ApplyOptions: 'one patch of the API, and one whole apply: each is its room’s main verb',
  Condition: 'gitops’ is the one of Flux, with the fields that Flux always sets',
  Endpoint: 'an address to pass TLS through to, and the kind of Kubernetes',
  JsonObject: 'kong’s is read-only: entities are shared by everyone who holds them',
  JsonValue: 'kong’s is read-only: entities are shared by everyone who holds them',
  Kustomization: 'the file of kustomize and the object of Flux have that one name in the world',
  ListenAddress: 'host and port, in two rooms that do not know each other',
  ObjectId: 'of an inventory entry, and of an object that the ingress controller reads',
  Problem: 'of a build, and of a translation',
  customResourceDefinitions: 'each controller’s own definitions',
};

/** Where a module's exported names were declared: the file, or the room that they come from. */
function exportsOf(file: string): Map<string, string> {
  const text = readFileSync(file, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gmu, '');
  const names = new Map<string, string>();
  const declared =
    /^export (?:declare )?(?:abstract )?(?:async )?(?:const|function\*?|class|interface|type) (\w+)/gmu;
  for (const [, name = ''] of text.matchAll(declared)) names.set(name, file);
  for (const [, list = '', from = ''] of text.matchAll(
    /^export (?:type )?(\{[^}]*\}|\*)(?: from '([^']+)')?;/gmu,
  )) {
    const source = from.startsWith('.') ? resolve(dirname(file), from) : from;
    const passedOn = from.startsWith('.') ? exportsOf(source) : new Map<string, string>();
    if (list === '*') {
      for (const [name, origin] of passedOn) names.set(name, origin);
      continue;
    }
    for (const part of list.slice(1, -1).split(',')) {
      const [inner = '', outer = inner] = part
        .trim()
        .replace(/^type /u, '')
        .split(' as ');
      if (inner !== '')
        names.set(outer, passedOn.get(inner) ?? originOf(text, inner, source, file));
    }
  }
  return names;
}

/** What is exported after it was imported comes from there. */
function originOf(text: string, name: string, source: string, file: string): string {
  if (source !== '') return source;
  const imported = new RegExp(`import (?:type )?\\{[^}]*\\b${name}\\b[^}]*\\} from '([^']+)'`, 'u');
  const from = imported.exec(text)?.[1];
  return from === undefined ? file : from.startsWith('.') ? resolve(dirname(file), from) : from;
}

test('no two rooms export different things under one name', () => {
  const rooms = readdirSync(join(root, 'packages')).filter((room) =>
    existsSync(join(root, 'packages', room, 'src/index.ts')),
  );
  const owners = new Map<string, string[]>();
  for (const room of rooms) {
    for (const [name, origin] of exportsOf(join(root, 'packages', room, 'src/index.ts'))) {
      if (origin.startsWith('@waygate/')) continue;
      owners.set(name, [...(owners.get(name) ?? []), room]);
    }
  }
  const shared = [...owners].filter(([, list]) => list.length > 1);
  expect(shared.filter(([name]) => !(name in allowed))).toEqual([]);
});
