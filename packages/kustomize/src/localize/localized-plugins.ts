import type { YamlNode } from '@waygate/text';
import { readResources } from '../read-resources.ts';
import { builtinSchemas } from '../schema-facts.ts';
import { emitYaml } from '../yaml/emit.ts';
import type { Localizer } from './localizer.ts';

type Change = (localizer: Localizer, value: string) => string;

const file: Change = (localizer, value) => localizer.file(value);
const source: Change = (localizer, value) => localizer.source(value);

/** The fields of built-in plugins that hold paths, by kind. */
const fields: Readonly<Record<string, Readonly<Record<string, Change>>>> = {
  ConfigMapGenerator: { env: file, envs: file, files: source },
  SecretGenerator: { env: file, envs: file, files: source },
  HelmChartInflationGenerator: {
    valuesFile: file,
    additionalValuesFiles: file,
    chartHome: (localizer, value) => localizer.chartHome(value),
  },
  PatchTransformer: { path: file },
  PatchJson6902Transformer: { path: file },
  ReplacementTransformer: { 'replacements/path': file },
  PatchStrategicMergeTransformer: { paths: (localizer, value) => localizer.inlineOrFile(value) },
};

/** Plugins as objects, with the files that they name copied. */
export function localizedPlugins(text: string, localizer: Localizer): string {
  const plugins = readResources(text, builtinSchemas).map(({ node }) => node);
  for (const plugin of plugins) {
    if (plugin.get('apiVersion')?.value !== 'builtin') continue;
    const kind = plugin.get('kind')?.value ?? '';
    for (const [path, change] of Object.entries(fields[kind] ?? {})) {
      for (const node of leavesAt(plugin, path.split('/')))
        node.value = change(localizer, node.value);
    }
    if (kind === 'HelmChartInflationGenerator' && plugin.get('chartHome') === undefined)
      localizer.chartHome('');
  }
  return plugins.map((plugin) => emitYaml(plugin)).join('---\n');
}

function leavesAt(node: YamlNode, path: readonly string[]): YamlNode[] {
  if (node.kind === 'sequence') return node.content.flatMap((item) => leavesAt(item, path));
  const [name, ...rest] = path;
  if (name === undefined) return node.kind === 'scalar' ? [node] : [];
  const below = node.kind === 'map' ? node.get(name) : undefined;
  return below === undefined ? [] : leavesAt(below, rest);
}
