// Writes data/internal-fields.json.gz: how the API server holds some kinds inside, which a few of
// its messages quote. Arguments: the directories of k8s.io/kubernetes, k8s.io/api and
// k8s.io/apiextensions-apiserver (`go mod download`).
//
// { struct: [[Go name, type, JSON name]] }, with types: s string, i number, b boolean, q quantity,
// o integer or string, t time, y bytes, r as it is in JSON, @Struct, and the prefixes * pointer,
// [ list, { map. An empty Go name is an embedded struct.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const [kubernetes, api, extensions] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));

function read(...files) {
  return files.map((file) => readFileSync(file, 'utf8').replaceAll(/\/\/.*$/gm, '')).join('\n');
}

function structsOf(text) {
  const structs = new Map();
  for (const [, name, body] of text.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)) {
    const fields = [];
    for (const line of body.split('\n')) {
      const field = /^\s*(\w+)\s+([\w.*[\]]+)(?:\s+`(.*)`)?\s*$/.exec(line);
      const embedded = /^\s*([\w.]+)(?:\s+`(.*)`)?\s*$/.exec(line);
      if (field !== null) fields.push({ name: field[1], type: field[2], tag: field[3] ?? '' });
      else if (embedded !== null) fields.push({ name: '', type: embedded[1], tag: '' });
    }
    structs.set(name, fields);
  }
  return structs;
}

function namesOf(text) {
  const names = new Map();
  for (const [, name, type] of text.matchAll(/^type (\w+) ([\w.[\]*]+)$/gm)) names.set(name, type);
  for (const [, body] of text.matchAll(/^type \(\n([\s\S]*?)^\)/gm)) {
    for (const [, name, type] of body.matchAll(/^\s*(\w+) ([\w.[\]*]+)$/gm)) names.set(name, type);
  }
  return names;
}

const table = {};

function add(internalText, versionedText, roots) {
  const internal = structsOf(internalText);
  const versioned = structsOf(versionedText);
  const names = namesOf(internalText);
  const code = (type) => {
    if (type.startsWith('*')) return `*${code(type.slice(1))}`;
    if (type === '[]byte') return 'y';
    if (type.startsWith('[]')) return `[${code(type.slice(2))}`;
    const map = /^map\[[\w.]+\](.*)$/.exec(type);
    if (map !== null) return `{${code(map[1])}`;
    if (/^u?int(8|16|32|64)?$|^float/.test(type)) return 'i';
    if (type === 'bool') return 'b';
    if (type === 'string' || type === 'types.UID' || type === 'types.NodeName') return 's';
    if (type === 'resource.Quantity') return 'q';
    if (type === 'intstr.IntOrString') return 'o';
    if (type === 'metav1.Time') return 't';
    if (internal.has(type)) {
      visit(type);
      return `@${type}`;
    }
    return names.has(type) ? code(names.get(type)) : 'r';
  };
  const visit = (name) => {
    if (table[name] !== undefined) return;
    table[name] = [];
    for (const field of internal.get(name) ?? []) {
      const same = versioned.get(name)?.find((each) => each.name === field.name);
      const json = /json:"([^",]*)/.exec(same?.tag ?? '')?.[1];
      const guess = field.name.slice(0, 1).toLowerCase() + field.name.slice(1);
      table[name].push([field.name, code(field.type), json || guess]);
    }
  };
  for (const root of roots) visit(root);
}

add(read(join(kubernetes, 'pkg/apis/core/types.go')), read(join(api, 'core/v1/types.go')), [
  'PodTemplateSpec',
  'PersistentVolumeClaimSpec',
]);
add(
  read(
    join(extensions, 'pkg/apis/apiextensions/types.go'),
    join(extensions, 'pkg/apis/apiextensions/types_jsonschema.go'),
  ),
  read(
    join(extensions, 'pkg/apis/apiextensions/v1/types.go'),
    join(extensions, 'pkg/apis/apiextensions/v1/types_jsonschema.go'),
  ),
  ['CustomResourceDefinitionVersion'],
);
writeFileSync(
  join(here, '../data/internal-fields.json.gz'),
  gzipSync(JSON.stringify(table), { level: 9 }),
);
