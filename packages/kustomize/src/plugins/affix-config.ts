import { parseLegacyYamlNode, type YamlNode } from '@waygate/text';
import { KustomizeError } from '../kustomize-error.ts';
import type { Resource } from '../resource.ts';
import { emitYaml } from '../yaml/emit.ts';
import { fromJson, toJson } from '../yaml/json-value.ts';

/** What a field holds, as the original's YAML decoder names it. */
type Held = 'string' | 'bool' | 'types.FsSlice' | 'types.FieldSpec';

const fieldsOfSpec: Readonly<Record<string, Held>> = {
  group: 'string',
  version: 'string',
  kind: 'string',
  path: 'string',
  create: 'bool',
};

/**
 * Prefixes and suffixes are the only plugins whose configuration the original reads as YAML and not as JSON: its
 * complaints come all at once, by lines of the configuration as it prints it, in which fields are sorted.
 *
 * @throws KustomizeError when a field holds something else
 */
export function checkAffixConfig(config: Resource, side: 'prefix' | 'suffix'): void {
  const printed = parseLegacyYamlNode(emitYaml(fromJson(sorted(toJson(config.node)))));
  if (printed === undefined) return;
  const wrong = mismatches(printed, { [side]: 'string', fieldSpecs: 'types.FsSlice' });
  if (wrong.length > 0)
    throw new KustomizeError(
      `yaml: unmarshal errors:\n${wrong.map((one) => `  ${one}`).join('\n')}`,
    );
}

function sorted(json: ReturnType<typeof toJson>): ReturnType<typeof toJson> {
  if (!(json instanceof Map)) return json;
  return new Map([...json].sort(([left], [right]) => (left < right ? -1 : 1)));
}

function mismatches(node: YamlNode, fields: Readonly<Record<string, Held>>): string[] {
  return Object.keys(fields)
    .sort()
    .flatMap((name) => {
      const value = node.get(name);
      return value === undefined ? [] : mismatchesOf(value, fields[name] as Held);
    });
}

function mismatchesOf(node: YamlNode, held: Held): string[] {
  const { kind, tag } = node;
  if (tag === '!!null') return [];
  if (held === 'types.FsSlice' && kind === 'sequence')
    return node.content.flatMap((item) => mismatchesOf(item, 'types.FieldSpec'));
  if (held === 'types.FieldSpec' && kind === 'map') return mismatches(node, fieldsOfSpec);
  if (held === 'string' && kind === 'scalar') return [];
  if (held === 'bool' && tag === '!!bool') return [];
  return [`line ${node.line + 1}: cannot unmarshal ${shown(node)} into ${held}`];
}

function shown({ kind, tag, value }: YamlNode): string {
  if (kind !== 'scalar') return kind === 'map' ? '!!map' : '!!seq';
  const short = value.length > 10 ? `${value.slice(0, 7)}...` : value;
  return `${tag} \`${short}\``;
}
