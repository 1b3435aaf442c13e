// Writes data/go-types.json.gz: what Go calls the types of fields, and which of them come from an embedded struct, as
// messages on values of the wrong type say it. Arguments: the directories of k8s.io/api, k8s.io/apimachinery,
// k8s.io/apiextensions-apiserver and k8s.io/kube-aggregator (`go mod download`).
//
// { definition: { types: { field: Go type }, embedded: { field: structs that it is in } } }, with those fields alone
// whose Go type is a name for a text, a number, a list or a map, or that are in a struct within the struct.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';

const here = dirname(fileURLToPath(import.meta.url));
const packages = new Map();
for (const directory of process.argv.slice(2)) {
  const module = /^module (\S+)/m.exec(readFileSync(join(directory, 'go.mod'), 'utf8'))[1];
  for (const entry of readdirSync(directory, { recursive: true })) {
    if (/(^|\/)types\w*\.go$/.test(entry) && !entry.endsWith('_test.go')) {
      readFile(`${module}/${dirname(entry)}`, join(directory, entry));
    }
  }
}

function readFile(path, file) {
  const text = readFileSync(file, 'utf8').replaceAll(/\/\/.*$/gm, '');
  const found = packages.get(path) ?? { structs: new Map(), names: new Map(), imports: new Map() };
  packages.set(path, found);
  for (const [, alias, imported] of text.matchAll(/^\s+(?:(\w+) )?"([\w./-]+)"$/gm)) {
    found.imports.set(alias ?? basename(imported), imported);
  }
  for (const [, name, type] of text.matchAll(/^type (\w+) ([\w.[\]*]+)$/gm)) {
    found.names.set(name, type);
  }
  for (const [, name, body] of text.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)) {
    found.structs.set(
      name,
      body.split('\n').flatMap((line) => {
        const field = /^\s*(?:(\w+)\s+)?([\w.*[\]]+)\s+`.*json:"([^"]*)".*`\s*$/.exec(line);
        return field === null ? [] : [{ type: field[2], json: field[3].split(',')[0] }];
      }),
    );
  }
}

/** The package and the name that a type is meant by, seen from a package. */
function target(path, type) {
  const [alias, name] = type.includes('.') ? type.split('.') : [undefined, type];
  return { path: alias === undefined ? path : packages.get(path).imports.get(alias), name };
}

/** As Go prints it: by the last part of the package. */
function printed(path, type) {
  if (type.startsWith('*')) return `*${printed(path, type.slice(1))}`;
  if (type.startsWith('[]')) return `[]${printed(path, type.slice(2))}`;
  const map = /^map\[([\w.]+)\](.*)$/.exec(type);
  if (map !== null) return `map[${printed(path, map[1])}]${printed(path, map[2])}`;
  if (type === 'byte') return 'uint8';
  const { path: of, name } = target(path, type);
  const isNamed = type.includes('.') || packages.get(of)?.names.has(name);
  return isNamed || packages.get(of)?.structs.has(name) ? `${basename(of)}.${name}` : name;
}

/** Whether Go has another name for it than a schema tells. */
function isNamed(path, type) {
  const inner = type.replace(/^(\*|\[\]|map\[[\w.]+\])*/, '');
  const { path: of, name } = target(path, inner);
  return (
    packages.get(of)?.names.has(name) || /^types\./.test(inner) || /map\[\w+\.?[A-Z]/.test(type)
  );
}

const definitions = JSON.parse(
  gunzipSync(readFileSync(join(here, '../../../../shared/facts/kubernetes-openapi-v2.json.gz'))),
).definitions;
const table = {};
for (const definition of Object.keys(definitions)) {
  const [, module, rest] = /^io\.k8s\.([\w-]+)\.(.*)$/.exec(definition) ?? [];
  if (module === undefined) continue;
  const parts = rest.split('.');
  const name = parts.pop();
  const path = ['k8s.io', module, ...parts].join('/');
  const types = {};
  const embedded = {};
  const visit = (of, struct, within) => {
    for (const field of packages.get(of)?.structs.get(struct) ?? []) {
      const type = field.type.replace(/^\*/, '');
      if (field.json === '') {
        const inner = target(of, type);
        // What an object is, is read before all else, and by itself.
        if (inner.name !== 'TypeMeta') visit(inner.path, inner.name, [...within, inner.name]);
      } else {
        if (isNamed(of, type)) types[field.json] = printed(of, type);
        if (within.length > 0) embedded[field.json] = within.join('.');
      }
    }
  };
  visit(path, name, []);
  if (Object.keys(types).length + Object.keys(embedded).length > 0) {
    table[definition] = { types, embedded };
  }
}
writeFileSync(
  join(here, '../data/go-types.json.gz'),
  gzipSync(JSON.stringify(table), { level: 9 }),
);
