import type { YamlNode } from '@waygate/text';
import type { Resource } from './resource.ts';
import type { ResourceList } from './resource-list.ts';
import { placeOf } from './transformers/patch-places.ts';
import type { PatchPlace, Transformer } from './transformers/transformer.ts';

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
  /** What the field was before, the first value first. */
  readonly history: readonly Omit<FieldOrigin, 'history'>[];
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
    this.step(resources, transformer.kind, transformer.file, transformer.places);
  }

  /** A generated resource has taken the place of another, and what that had beyond its own. */
  absorbed(resource: Resource, old: Resource, kind: string, file: string): void {
    const generated = this.#fields.get(resource) ?? new Map<string, FieldOrigin>();
    const before = this.#fields.get(old) ?? new Map<string, FieldOrigin>();
    const after = leavesOf(resource, kind, file);
    for (const [path, now] of after) {
      const then = before.get(path);
      const isOwn =
        generated.has(path) && !/^(?:kind|apiVersion|metadata\.name(?:space)?)$/.test(path);
      if (then !== undefined && then.value === now.value && !isOwn) after.set(path, then);
      else after.set(path, following(now, then));
    }
    this.#fields.set(resource, after);
    this.#touched.set(resource, [...(this.#touched.get(old) ?? []), kind]);
  }

  /** Notes what changed since the last step. */
  step(
    resources: ResourceList,
    by: string,
    file: string | undefined,
    places?: readonly PatchPlace[],
  ): void {
    for (const resource of resources) {
      const before = this.#fields.get(resource) ?? new Map<string, FieldOrigin>();
      const after = leavesOf(resource, by, file, places);
      let isTouched = after.size !== before.size;
      for (const [path, now] of after) {
        const then = before.get(path);
        if (then !== undefined && then.value === now.value) after.set(path, then);
        else {
          isTouched = true;
          after.set(path, following(now, then));
        }
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

/** A value, with what it was before. */
function following(now: FieldOrigin, then: FieldOrigin | undefined): FieldOrigin {
  if (then === undefined) return now;
  const { history, ...last } = then;
  return { ...now, history: [...history, last] };
}

function leavesOf(
  resource: Resource,
  by: string,
  file: string | undefined,
  places?: readonly PatchPlace[],
): Map<string, FieldOrigin> {
  const leaves = new Map<string, FieldOrigin>();
  const isSecret = resource.kind === 'Secret';
  const add: Leaf = (path, node, value, pointer) => {
    const isHidden = isSecret && /^(?:data|stringData)\./.test(path);
    const hasPlace = node.line >= 0 && node.file !== undefined;
    const place = hasPlace ? undefined : placeOf(places, pointer);
    leaves.set(path, {
      path,
      value: isHidden ? '***' : value,
      file: hasPlace ? node.file : (place?.file ?? file),
      line: hasPlace ? node.line + 1 : place?.line,
      by,
      history: [],
    });
  };
  walk(resource.node, '', [], add);
  return leaves;
}

type Leaf = (path: string, node: YamlNode, value: string, pointer: readonly string[]) => void;

function walk(node: YamlNode, path: string, pointer: readonly string[], add: Leaf): void {
  if (node.kind === 'map' && node.content.length > 0) {
    for (let index = 0; index < node.content.length; index += 2) {
      const key = node.content[index]!.value;
      const name = key.replaceAll('.', '\\.');
      const below = path === '' ? name : `${path}.${name}`;
      walk(node.content[index + 1]!, below, [...pointer, key], add);
    }
  } else if (node.kind === 'sequence' && node.content.length > 0) {
    for (const [index, item] of node.content.entries()) {
      const name = item.get('name');
      const below = `${path}[${name === undefined ? index : `name=${name.value}`}]`;
      walk(item, below, [...pointer, String(index)], add);
    }
  } else {
    const empty = node.kind === 'map' ? '{}' : '[]';
    add(path, node, node.kind === 'scalar' ? node.value : empty, pointer);
  }
}
