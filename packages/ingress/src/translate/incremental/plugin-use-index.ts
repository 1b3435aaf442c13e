import { entryOf } from '../../store/entry-of.ts';
import { type PluginName, type PluginUse, pluginText } from '../plugin-use.ts';

/** Which plugin is used where: uses by plugin and by the unit that they come from. */
export class PluginUseIndex {
  /** By the name of the plugin, and then by its namespace. */
  readonly #byPlugin = new Map<string, Map<string, Map<string, readonly PluginUse[]>>>();
  readonly #usesOf = new Map<string, readonly PluginUse[]>();

  /** Replaces the uses that come from one unit; returns the plugins whose uses may have changed. */
  set(unit: string, uses: readonly PluginUse[]): Iterable<PluginName> {
    const before = this.#usesOf.get(unit) ?? [];
    if (areSame(before, uses)) return [];
    if (uses.length === 0) this.#usesOf.delete(unit);
    else this.#usesOf.set(unit, uses);
    const touched = new Map<string, PluginName>();
    for (const { plugin } of before) {
      touched.set(pluginText(plugin), plugin);
      this.#unitsOf(plugin).delete(unit);
    }
    for (const use of uses) {
      touched.set(pluginText(use.plugin), use.plugin);
      const units = this.#unitsOf(use.plugin);
      units.set(unit, [...(units.get(unit) ?? []), use]);
    }
    for (const plugin of touched.values()) this.#tidy(plugin);
    return touched.values();
  }

  usesOf({ namespace, name }: PluginName): PluginUse[] {
    return [...(this.#byPlugin.get(name)?.get(namespace)?.values() ?? [])].flat();
  }

  /** The uses of a plugin of this name in any namespace. */
  usesOfName(name: string): PluginUse[] {
    return [...(this.#byPlugin.get(name)?.keys() ?? [])].flatMap((namespace) =>
      this.usesOf({ namespace, name }),
    );
  }

  #unitsOf({ namespace, name }: PluginName): Map<string, readonly PluginUse[]> {
    const namespaces = entryOf(this.#byPlugin, name, () => new Map());
    return entryOf(namespaces, namespace, () => new Map());
  }

  #tidy({ namespace, name }: PluginName): void {
    const namespaces = this.#byPlugin.get(name);
    if (namespaces?.get(namespace)?.size === 0) namespaces.delete(namespace);
    if (namespaces?.size === 0) this.#byPlugin.delete(name);
  }
}

function areSame(left: readonly PluginUse[], right: readonly PluginUse[]): boolean {
  return (
    left.length === right.length &&
    left.every((use, index) => {
      const other = right[index]!;
      return (
        use.plugin.name === other.plugin.name &&
        use.plugin.namespace === other.plugin.namespace &&
        use.scope === other.scope &&
        use.entity === other.entity &&
        use.referrer === other.referrer
      );
    })
  );
}
