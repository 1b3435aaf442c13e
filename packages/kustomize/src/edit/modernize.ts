import type { HelmChart, HelmChartArgs, Kustomization } from '../config/kustomization.ts';
import { modernize } from '../config/read-kustomization.ts';
import type { KustomizationDraft } from './kustomization-file.ts';

/** Moves what every edit moves: bases, image tags, `env`, and charts of the older spelling. */
export function modernizeDraft(given: Kustomization): KustomizationDraft {
  const draft: KustomizationDraft = modernize(given);
  const charts = given.helmChartInflationGenerator ?? [];
  delete draft.helmChartInflationGenerator;
  if (charts.length === 0) return draft;
  draft.helmCharts = [...(given.helmCharts ?? []), ...charts.map(toChart)];
  const globals = draft.helmGlobals ?? globalsOf(charts);
  if (globals !== undefined) draft.helmGlobals = globals;
  return draft;
}

function toChart(args: HelmChartArgs): HelmChart {
  const { chartName, chartVersion, chartRepoUrl, values, valuesLocal } = args;
  const { valuesMerge, releaseName } = args;
  return {
    ...(chartName === undefined ? {} : { name: chartName }),
    ...(chartVersion === undefined ? {} : { version: chartVersion }),
    ...(chartRepoUrl === undefined ? {} : { repo: chartRepoUrl }),
    ...(values === undefined ? {} : { valuesFile: values }),
    ...(valuesLocal === undefined ? {} : { valuesInline: valuesLocal }),
    ...(valuesMerge === undefined ? {} : { valuesMerge }),
    ...(releaseName === undefined ? {} : { releaseName }),
  };
}

/** Where charts lie was said by each of them: the last word counts. */
function globalsOf(charts: readonly HelmChartArgs[]): KustomizationDraft['helmGlobals'] {
  const chartHome = charts.findLast((chart) => chart.chartHome)?.chartHome;
  const configHome = charts.findLast((chart) => chart.helmHome)?.helmHome;
  if (chartHome === undefined && configHome === undefined) return undefined;
  return {
    ...(chartHome === undefined ? {} : { chartHome }),
    ...(configHome === undefined ? {} : { configHome }),
  };
}
