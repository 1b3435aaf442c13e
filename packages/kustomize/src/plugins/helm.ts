import type { HelmChart, HelmGlobals } from '../config/kustomization.ts';
import { isInside, joinPath } from '../file-system/file-system.ts';
import { KustomizeError, wrap } from '../kustomize-error.ts';
import { readResources } from '../read-resources.ts';
import type { Resource } from '../resource.ts';
import { emitYaml } from '../yaml/emit.ts';
import { fromJson, type JsonObject, type JsonValue, toLegacyJson } from '../yaml/json-value.ts';
import { parseLegacyYaml } from '../yaml/parser.ts';
import type { Generator, PluginContext } from './plugin-context.ts';

const MERGE_MODES = ['merge', 'override', 'replace'];

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
  const mode = given.valuesMerge || 'override';
  if (!MERGE_MODES.includes(mode)) {
    throw new KustomizeError(`valuesMerge must be one of [${MERGE_MODES.join(' ')}]`);
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
      return rendered(helm({ ...request, step: 'template', values }), name, context);
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
  if (mode === 'replace') return emitYaml(fromJson(inline as JsonObject));
  const node = parseLegacyYaml(context.loader.loadText(file), context.loader.show(file));
  const values = node === undefined ? null : toLegacyJson(node);
  const target: JsonObject = values instanceof Map ? values : new Map();
  mergeValues(target, inline as JsonObject, mode === 'override');
  return emitYaml(fromJson(target));
}

/** Maps merge at every depth; `overrides` says who wins elsewhere, unless there is nothing yet. */
function mergeValues(target: JsonObject, source: JsonObject, overrides: boolean): void {
  for (const [key, value] of source) {
    const existing = target.get(key);
    if (value instanceof Map && existing instanceof Map) mergeValues(existing, value, overrides);
    else if (overrides || isEmpty(existing)) target.set(key, value);
  }
}

function isEmpty(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === '' || value === false) return true;
  if (value === 0n || value === 0) return true;
  if (Array.isArray(value)) return value.length === 0;
  return value instanceof Map && value.size === 0;
}

function rendered(text: string, name: string, context: PluginContext): Resource[] {
  const file = `helm chart ${name}`;
  try {
    return readResources(text, context.schemas, file);
  } catch (error) {
    // Helm may have printed a message first.
    const start = text.indexOf('\n---\n');
    if (start < 0) throw error;
    return readResources(text.slice(start + 1), context.schemas, file);
  }
}
