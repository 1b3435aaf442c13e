import { groupOrder } from './group-order.ts';
import type { Resource } from './resource.ts';

/** Which resources are served right now. Custom ones come and go. */
export class Registry {
  readonly #resources = new Map<string, Resource>();
  readonly #byPlace = new Map<string, Resource>();
  readonly #listeners = new Set<() => void>();
  /** Counts changes, so that documents made of the registry can be kept until the next. */
  revision = 0;

  constructor(builtins: readonly Resource[]) {
    for (const resource of builtins) this.#set(resource);
  }

  find(group: string, version: string, plural: string): Resource | undefined {
    return this.#byPlace.get(`${group}/${version}/${plural}`);
  }

  /** The resource of a kind in a version. */
  findKind(group: string, version: string, kind: string): Resource | undefined {
    for (const resource of this.#resources.values()) {
      if (resource.group === group && resource.version === version && resource.kind === kind) {
        return resource;
      }
    }
    return undefined;
  }

  all(): Iterable<Resource> {
    return this.#resources.values();
  }

  ofVersion(group: string, version: string): Resource[] {
    return [...this.#resources.values()].filter(
      (resource) => resource.group === group && resource.version === version,
    );
  }

  /** Versions of a group, the preferred one first. */
  versions(group: string): string[] {
    const found = new Set<string>();
    for (const resource of this.#resources.values()) {
      if (resource.group === group) found.add(resource.version);
    }
    return [...found].sort(compareVersions);
  }

  /** The groups except the core one: built-in ones in their fixed order, then custom ones by name. */
  groups(): string[] {
    const found = new Set<string>();
    for (const resource of this.#resources.values()) found.add(resource.group);
    found.delete('');
    const custom = [...found].filter((group) => !groupOrder.includes(group)).sort();
    return [...groupOrder.filter((group) => found.has(group)), ...custom];
  }

  isBuiltinGroup(group: string): boolean {
    return group === '' || groupOrder.includes(group);
  }

  set(resource: Resource): void {
    this.#set(resource);
    this.#changed();
  }

  remove(resource: Resource): void {
    const id = placeOf(resource);
    this.#resources.delete(id);
    this.#byPlace.delete(id);
    this.#changed();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  #set(resource: Resource): void {
    const id = placeOf(resource);
    this.#resources.set(id, resource);
    this.#byPlace.set(id, resource);
  }

  #changed(): void {
    this.revision++;
    for (const listener of this.#listeners) listener();
  }
}

function placeOf(resource: Resource): string {
  return `${resource.group}/${resource.version}/${resource.plural}`;
}

/** Stable before beta before alpha, newer before older; anything else last, by name. */
export function compareVersions(a: string, b: string): number {
  const left = versionRank(a);
  const right = versionRank(b);
  if (left === undefined && right === undefined) return a < b ? -1 : a > b ? 1 : 0;
  if (left === undefined) return 1;
  if (right === undefined) return -1;
  for (let i = 0; i < 3; i++) {
    const difference = (right[i] as number) - (left[i] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}

function versionRank(version: string): [number, number, number] | undefined {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (match === null) return undefined;
  const [, major = '0', stage, minor = '0'] = match;
  const maturity = stage === undefined ? 2 : stage === 'beta' ? 1 : 0;
  return [maturity, Number(major), Number(minor)];
}
