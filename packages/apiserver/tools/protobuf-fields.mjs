// Writes data/protobuf-fields.json.gz: the field numbers of the Kubernetes types, from the
// .proto and Go files of k8s.io/api, k8s.io/apimachinery, k8s.io/apiextensions-apiserver and
// k8s.io/kube-aggregator (`go mod download`). Run with their directories as arguments.
//
// { kinds: { 'apps/v1/Deployment': message }, messages: { name: { number: [json, type, flags] } } }
// type: a scalar, a message's name, or `map:` and the type of the values.
// flags: r repeated, p pointer, o left out when empty, i inlined into its parent.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';

const here = dirname(fileURLToPath(import.meta.url));
const messages = {};
for (const directory of process.argv.slice(2)) {
  for (const entry of readdirSync(directory, { recursive: true })) {
    if (entry.endsWith('generated.proto')) readPackage(join(directory, entry));
  }
}

function readPackage(file) {
  const text = readFileSync(file, 'utf8').replaceAll(/\/\/.*$/gm, '');
  const name = /^package ([\w.]+);/m.exec(text)[1];
  const tags = readTags(dirname(file));
  for (const [, message, body] of text.matchAll(/^message (\w+) \{\n([\s\S]*?)^\}/gm)) {
    const fields = {};
    for (const line of body.split('\n')) {
      const found =
        /^\s*(optional|repeated|map<(\w+), ([\w.]+)>)\s*([\w.]+)?\s+(\w+) = (\d+);/.exec(line);
      if (found === null) continue;
      const [, label, , mapped, plain, field, number] = found;
      const tag = tags.get(`${message}.${field}`) ?? { json: field, flags: 'o' };
      const repeated = label === 'repeated' ? 'r' : '';
      const type = mapped === undefined ? typeName(plain, name) : `map:${typeName(mapped, name)}`;
      fields[number] = [tag.json, type, `${repeated}${tag.flags}`];
    }
    messages[`${name}.${message}`] = fields;
  }
}

function typeName(type, packageName) {
  if (type.startsWith('.')) return type.slice(1);
  if (/^(string|bytes|bool|double|u?int(32|64))$/.test(type)) return type;
  return type.includes('.') ? type : `${packageName}.${type}`;
}

function readTags(directory) {
  const tags = new Map();
  for (const file of readdirSync(directory)) {
    if (!file.endsWith('.go') || file.endsWith('generated.pb.go')) continue;
    const text = readFileSync(join(directory, file), 'utf8');
    for (const [, struct, body] of text.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)) {
      for (const line of body.split('\n')) {
        const tag = /^\s*(?:\w+\s+)?(\*?)[\w.[\]*]+\s+`(.*json:"([^"]*)".*)`/.exec(line);
        const name = /protobuf:"[^"]*name=(\w+)/.exec(line)?.[1];
        if (tag === null || name === undefined) continue;
        const [json, ...options] = tag[3].split(',');
        const isInline = json === '';
        const flags = [
          tag[1] === '*' ? 'p' : '',
          options.some((each) => each.startsWith('omit')) ? 'o' : '',
          isInline ? 'i' : '',
        ].join('');
        tags.set(`${struct}.${name}`, { json: isInline ? name : json, flags });
      }
    }
  }
  return tags;
}

const openApi = JSON.parse(
  gunzipSync(readFileSync(join(here, '../../schema/data/openapi-v2.json.gz'))).toString(),
);
const kinds = {};
for (const [name, definition] of Object.entries(openApi.definitions)) {
  const message = name
    .replace('io.k8s.api.', 'k8s.io.api.')
    .replace('io.k8s.apimachinery.', 'k8s.io.apimachinery.')
    .replace('io.k8s.apiextensions-apiserver.', 'k8s.io.apiextensions_apiserver.')
    .replace('io.k8s.kube-aggregator.', 'k8s.io.kube_aggregator.');
  if (messages[message] === undefined) continue;
  for (const { group, version, kind } of definition['x-kubernetes-group-version-kind'] ?? []) {
    kinds[`${group === '' ? '' : `${group}/`}${version}/${kind}`] = message;
  }
}
// Only what can be reached from a kind.
const reached = {};
const reach = (name) => {
  if (messages[name] === undefined || reached[name] !== undefined) return;
  reached[name] = messages[name];
  for (const [, type] of Object.values(messages[name])) reach(type.replace('map:', ''));
};
for (const name of Object.values(kinds)) reach(name);
// The prefixes are long and many.
const short = (name) => name.replace(/^(map:)?k8s\.io\.(?:api\.)?/, '$1');
const table = {
  kinds: Object.fromEntries(Object.entries(kinds).map(([key, name]) => [key, short(name)])),
  messages: Object.fromEntries(
    Object.entries(reached).map(([name, fields]) => [
      short(name),
      Object.fromEntries(
        Object.entries(fields).map(([number, [json, type, flags]]) => [
          number,
          [json, short(type), flags],
        ]),
      ),
    ]),
  ),
};
writeFileSync(
  join(here, '../data/protobuf-fields.json.gz'),
  gzipSync(JSON.stringify(table), { level: 9 }),
);
