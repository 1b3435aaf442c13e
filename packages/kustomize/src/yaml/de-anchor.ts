import { mergeTag, YamlError, YamlNode } from '@waygate/text';

/** What all aliases of one document may unfold to. A bomb of nested aliases stops here. */
const maxUnfolded = 200_000;

/** Replaces every alias by a copy of what it names, and unfolds merge keys. Changes the tree. */
export function deAnchor(root: YamlNode): YamlNode {
  return new Unfolding().unfold(root);
}

class Unfolding {
  #left = maxUnfolded;
  readonly #done = new Set<YamlNode>();
  readonly #open = new Set<YamlNode>();

  unfold(node: YamlNode): YamlNode {
    if (node.kind === 'alias') return this.#copyOf(node);
    const hadAnchor = node.anchor !== undefined;
    if (hadAnchor) node.setRare({ anchor: undefined });
    if (node.kind === 'scalar' || this.#done.has(node)) return node;
    if (this.#open.has(node)) {
      throw new YamlError('composer', 'an anchor contains itself', undefined);
    }
    this.#open.add(node);
    if (node.kind === 'map') this.#unfoldMerges(node);
    const { content } = node;
    for (let index = 0; index < content.length; index += 1) {
      const child = content[index]!;
      if (child.kind !== 'scalar' || child.anchor !== undefined) {
        content[index] = this.unfold(child);
      }
    }
    this.#open.delete(node);
    if (hadAnchor) this.#done.add(node);
    return node;
  }

  #copyOf(alias: YamlNode): YamlNode {
    const target = alias.target!;
    if (this.#open.has(target)) {
      throw new YamlError('composer', `anchor '${alias.value}' value contains itself`, undefined);
    }
    const source = this.unfold(target);
    this.#left -= sizeOf(source, this.#left);
    if (this.#left <= 0) {
      throw new YamlError('composer', 'document contains excessive aliasing', undefined);
    }
    return source.copy();
  }

  /** Fields of the map itself win over merged ones; of merged maps the first one wins. */
  #unfoldMerges(map: YamlNode): void {
    const sources: YamlNode[] = [];
    const own: YamlNode[] = [];
    for (let index = 0; index < map.content.length; index += 2) {
      const key = map.content[index]!;
      const value = map.content[index + 1]!;
      if (key.kind === 'scalar' && key.tag === mergeTag) sources.unshift(...this.#maps(value));
      else own.push(key, value);
    }
    if (sources.length === 0) return;
    const merged = new YamlNode('map', map.tag, '', []);
    for (const source of sources) {
      for (let index = 0; index < source.content.length; index += 2) {
        put(merged, source.content[index]!, source.content[index + 1]!);
      }
    }
    const seen = new Set<string>();
    for (let index = 0; index < own.length; index += 2) {
      const key = own[index]!;
      // A key that the map holds twice stays twice, to be reported as such.
      if (seen.has(key.value)) merged.content.push(key, own[index + 1]!);
      else put(merged, key, own[index + 1]!);
      seen.add(key.value);
    }
    map.content = merged.content;
  }

  #maps(value: YamlNode): YamlNode[] {
    const unfolded = this.unfold(value);
    if (unfolded.kind === 'map') return [unfolded];
    const isList =
      unfolded.kind === 'sequence' && unfolded.content.every((item) => item.kind === 'map');
    if (!isList) {
      throw new YamlError(
        'composer',
        'invalid map merge: received a nested sequence or a scalar',
        undefined,
      );
    }
    return unfolded.content;
  }
}

function put(map: YamlNode, key: YamlNode, value: YamlNode): void {
  for (let index = 0; index < map.content.length; index += 2) {
    if (map.content[index]!.value !== key.value) continue;
    map.content[index + 1] = value;
    return;
  }
  map.content.push(key, value);
}

function sizeOf(node: YamlNode, limit: number): number {
  let size = 1;
  for (const child of node.content) {
    size += sizeOf(child, limit);
    if (size > limit) return size;
  }
  return size;
}
