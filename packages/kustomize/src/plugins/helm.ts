import { newMap, parseYamlNode, type YamlNode } from '@waygate/text';
import type { HelmChart, HelmGlobals } from '../config/kustomization.ts';
import { isInside, joinPath } from '../file-system/file-system.ts';
import { KustomizeError, wrap } from '../kustomize-error.ts';
import { readResources } from '../read-resources.ts';
import type { Resource } from '../resource.ts';
import { strategicMerge } from '../strategic-merge.ts';
import { deAnchor } from '../yaml/de-anchor.ts';
import { emitYaml } from '../yaml/emit.ts';
import { fromJson, type JsonObject } from '../yaml/json-value.ts';
import type { Generator, HelmOutput, PluginContext } from './plugin-context.ts';

const mergeModes = ['merge', 'override', 'replace'];

/** Renders a chart with the Helm that the caller provides; there is none in a build itself. */
export function helmGenerator(
  given: HelmChart,
  globals: HelmGlobals,
  context: PluginContext,
): Generator {
  const { helm, loader } = context;
  if (helm === undefined) {
    throw new KustomizeError('must specify --enable-helm', { code: 'WG_KUSTOMIZE_PLUGIN_REFUSED' });
  }
  const name = given.name ?? '';
  if (name === '') throw new KustomizeError('chart name cannot be empty');
  if (name.includes('/') || name.includes('\\') || name.startsWith('.') || name.startsWith('-')) {
    throw new KustomizeError(`'${name}' is no name of a chart`);
  }
  if (given.digest && given.repo?.startsWith('oci://') !== true) {
    throw new KustomizeError(
      "digest is only supported for OCI repos (e.g. 'oci://my-registry.com/my-chart:latest')",
    );
  }
  const mode = given.valuesMerge || 'override';
  if (!mergeModes.includes(mode)) {
    throw new KustomizeError(`valuesMerge must be one of [${mergeModes.join(' ')}]`);
  }
  const additional = (given.additionalValuesFiles ?? []).map((file) => {
    try {
      loader.load(file);
    } catch (error) {
      throw wrap(error, 'could not load additionalValuesFile');
    }
    return loader.show(file);
  });
  const chart: HelmChart = { ...given, additionalValuesFiles: additional };
  const home = joinPath(loader.root, chartHomeOf(chart, globals));
  if (!isInside(home, loader.root) && loader.isRestricted) {
    throw new KustomizeError(`security; chart home '${home}' is not in or below '${loader.root}'`, {
      code: 'WG_KUSTOMIZE_LOAD_RESTRICTION',
    });
  }
  const request = { chart, globals, directory: loader.shownRoot, chartHome: loader.show(home) };
  return {
    kind: 'HelmChartInflationGenerator',
    generate() {
      if (!loader.hasDirectory(`${home}/${name}`)) {
        if (!chart.repo) {
          throw new KustomizeError(
            `no repo specified for pull, no chart found at '${loader.show(`${home}/${name}`)}'`,
          );
        }
        helm({ ...request, step: 'pull', values: '' });
      }
      const values = valuesText(
        chart,
        mode,
        chart.valuesFile || `${home}/${name}/values.yaml`,
        context,
      );
      const output = helm({ ...request, step: 'template', values });
      // A template is named from the chart's own name on, which need not be that of its directory.
      const shown = (file: string) =>
        loader.show(`${home}/${name}/${file.replace(/^[^/]*\//, '')}`);
      const resources = rendered(output, name, shown, context);
      for (const resource of resources) resource.isHelmMade = true;
      return resources;
    },
  };
}

/** A chart of a repository has a directory for each of its versions. */
function chartHomeOf(chart: HelmChart, globals: HelmGlobals): string {
  const home = globals.chartHome || 'charts';
  return chart.version && chart.repo ? `${home}/${chart.name}-${chart.version}` : home;
}

/** The values that Helm gets: those of the file, with what is written inline merged in. */
function valuesText(chart: HelmChart, mode: string, file: string, context: PluginContext): string {
  const inline = chart.valuesInline;
  if (!(inline instanceof Map) || inline.size === 0) return context.loader.loadText(file);
  const written = fromJson(inline as JsonObject);
  if (mode === 'replace') return emitYaml(written);
  const parsed = parseYamlNode(context.loader.loadText(file), context.loader.show(file));
  const values = parsed === undefined ? newMap() : deAnchor(parsed);
  // Whoever is merged into the other wins; a null there takes a value away.
  const [target, patch] = mode === 'override' ? [values, written] : [written, values];
  try {
    const merged = strategicMerge(target, patch, {
      schemas: context.schemas,
      newItems: 'append',
      infersLists: false,
    });
    return emitYaml(merged ?? newMap());
  } catch (error) {
    throw wrap(error, 'could not merge values');
  }
}

function rendered(
  { text, places }: HelmOutput,
  name: string,
  shown: (file: string) => string,
  context: PluginContext,
): Resource[] {
  const file = `helm chart ${name}`;
  const read = (from: number) => {
    const resources = readResources(text.slice(from), context.schemas, file);
    if (places === undefined) return resources;
    const skipped = text.slice(0, from).split('\n').length - 1;
    for (const { node } of resources) {
      locate(node, (line) => {
        const place = places[line + skipped];
        return place && { file: shown(place.file), line: place.line - 1 };
      });
    }
    return resources;
  };
  try {
    return read(0);
  } catch (error) {
    // Helm may have printed a message first.
    const start = text.indexOf('\n---\n');
    if (start < 0) throw error;
    return read(start + 1);
  }
}

/** Has all nodes say where they stand in templates, as far as that is known. */
function locate(
  node: YamlNode,
  placeOf: (line: number) => { file: string; line: number } | undefined,
): void {
  const place = node.line < 0 ? undefined : placeOf(node.line);
  if (place !== undefined) Object.assign(node, place);
  for (const each of node.content) locate(each, placeOf);
}
