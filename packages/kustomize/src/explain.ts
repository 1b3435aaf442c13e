import type { YamlNode } from '@waygate/text';
import type { Resource } from './resource.ts';
import type { ResourceList } from './resource-list.ts';
import type { Transformer } from './transformers/transformer.ts';

/** Where the value of one field came from. */
export interface FieldOrigin {
  /** Such as `spec.template.spec.containers[name=web].image`. */
  readonly path: string;
  readonly value: string;
  /** The file that holds the value, or asks for the transformer that made it. */
  readonly file: string | undefined;
  /** Counted from one; undefined where a transformer made the value. */
  readonly line: number | undefined;
  /** What put the value there: `resource`, a generator or a transformer. */
  readonly by: string;
}

/**
 * Follows every field of every resource through a build. Costs a walk over all resources after
 * each transformer, so it runs only when somebody asks.
 */
export class Explanations {
  readonly #fields = new WeakMap<Resource, Map<string, FieldOrigin>>();
  readonly #touched = new WeakMap<Resource, string[]>();

  loaded(resource: Resource): void {
    this.#fields.set(resource, leavesOf(resource, 'resource', resource.file));
  }

  generated(resource: Resource, kind: string, file: string): void {
    this.#fields.set(resource, leavesOf(resource, kind, file));
    this.#touched.set(resource, [kind]);
  }

  transformed(resources: ResourceList, transformer: Transformer): void {
    this.step(resources, transformer.kind, transformer.file);
  }

  /** Notes what changed since the last step. */
  step(resources: ResourceList, by: string, file: string | undefined): void {
    for (const resource of resources) {
      const before = this.#fields.get(resource) ?? new Map<string, FieldOrigin>();
      const after = leavesOf(resource, by, file);
      let isTouched = after.size !== before.size;
      for (const [path, now] of after) {
        const then = before.get(path);
        if (then !== undefined && then.value === now.value) after.set(path, then);
        else isTouched = true;
      }
      if (!isTouched) continue;
      this.#fields.set(resource, after);
      const touched = this.#touched.get(resource) ?? [];
      if (touched.at(-1) !== by) touched.push(by);
      this.#touched.set(resource, touched);
    }
  }

  /** The fields of a resource as they are now, sorted by path. */
  of(resource: Resource): FieldOrigin[] {
    const fields = [...(this.#fields.get(resource)?.values() ?? [])];
    return fields.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  }

  /** The generator and transformers that made or changed a resource, in order. */
  transformersOf(resource: Resource): string[] {
    return [...(this.#touched.get(resource) ?? [])];
  }
}

function leavesOf(
  resource: Resource,
  by: string,
  file: string | undefined,
): Map<string, FieldOrigin> {
  const leaves = new Map<string, FieldOrigin>();
  const isSecret = resource.kind === 'Secret';
  const add = (path: string, node: YamlNode, value: string): void => {
    const isHidden = isSecret && /^(?:data|stringData)\./.test(path);
    const hasPlace = node.line >= 0 && node.file !== undefined;
    leaves.set(path, {
      path,
      value: isHidden ? '***' : value,
      file: hasPlace ? node.file : file,
      line: hasPlace ? node.line + 1 : undefined,
      by,
    });
  };
  walk(resource.node, '', add);
  return leaves;
}

function walk(
  node: YamlNode,
  path: string,
  add: (path: string, node: YamlNode, value: string) => void,
): void {
  if (node.kind === 'map' && node.content.length > 0) {
    for (let index = 0; index < node.content.length; index += 2) {
      const name = node.content[index]!.value.replaceAll('.', '\\.');
      walk(node.content[index + 1]!, path === '' ? name : `${path}.${name}`, add);
    }
  } else if (node.kind === 'sequence' && node.content.length > 0) {
    for (const [index, item] of node.content.entries()) {
      const name = item.get('name');
      walk(item, `${path}[${name === undefined ? index : `name=${name.value}`}]`, add);
    }
  } else {
    const empty = node.kind === 'map' ? '{}' : '[]';
    add(path, node, node.kind === 'scalar' ? node.value : empty);
  }
}
