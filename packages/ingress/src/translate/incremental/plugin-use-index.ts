import type { PluginUse } from '../plugin-use.ts';

/** Which plugin is used where: uses by plugin and by the unit that they come from. */
export class PluginUseIndex {
  readonly #byPlugin = new Map<string, Map<string, readonly PluginUse[]>>();
  readonly #usesOf = new Map<string, readonly PluginUse[]>();
  readonly #pluginsOf = new Map<string, ReadonlySet<string>>();

  /** Replaces the uses that come from one unit; returns the plugins whose uses may have changed. */
  set(unit: string, uses: readonly PluginUse[]): Set<string> {
    const before = this.#usesOf.get(unit) ?? [];
    if (areSame(before, uses)) return new Set();
    if (uses.length === 0) this.#usesOf.delete(unit);
    else this.#usesOf.set(unit, uses);
    const touched = new Set(this.#pluginsOf.get(unit));
    for (const plugin of touched) {
      const units = this.#byPlugin.get(plugin);
      units?.delete(unit);
      if (units?.size === 0) this.#byPlugin.delete(plugin);
    }
    const own = new Set(uses.map(({ plugin }) => plugin));
    for (const plugin of own) {
      let units = this.#byPlugin.get(plugin);
      if (units === undefined) {
        units = new Map();
        this.#byPlugin.set(plugin, units);
      }
      units.set(
        unit,
        uses.filter((use) => use.plugin === plugin),
      );
      touched.add(plugin);
    }
    if (own.size === 0) this.#pluginsOf.delete(unit);
    else this.#pluginsOf.set(unit, own);
    return touched;
  }

  usesOf(plugin: string): PluginUse[] {
    return [...(this.#byPlugin.get(plugin)?.values() ?? [])].flat();
  }

  /** The uses of a plugin of this name in any namespace. */
  usesOfName(name: string): PluginUse[] {
    const suffix = `:${name}`;
    return [...this.#byPlugin.keys()]
      .filter((key) => key.endsWith(suffix))
      .flatMap((key) => this.usesOf(key));
  }
}

function areSame(left: readonly PluginUse[], right: readonly PluginUse[]): boolean {
  return (
    left.length === right.length &&
    left.every((use, index) => {
      const other = right[index]!;
      return (
        use.plugin === other.plugin &&
        use.scope === other.scope &&
        use.entity === other.entity &&
        use.referrer === other.referrer
      );
    })
  );
}
