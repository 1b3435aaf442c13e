import type { HelmChart, HelmGlobals } from '../config/kustomization.ts';
import { KustomizeError } from '../kustomize-error.ts';
import { readResources } from '../read-resources.ts';
import type { Generator, PluginContext } from './plugin-context.ts';

/** Renders a chart with the Helm that the caller provides; there is none in a build itself. */
export function helmGenerator(
  chart: HelmChart,
  globals: HelmGlobals,
  context: PluginContext,
): Generator {
  const { helm } = context;
  if (helm === undefined) {
    throw new KustomizeError('must specify --enable-helm', { code: 'WG_KUSTOMIZE_PLUGIN_REFUSED' });
  }
  return {
    kind: 'HelmChartInflationGenerator',
    generate() {
      const text = helm({ chart, globals, directory: context.loader.shownRoot });
      return readResources(text, context.schemas, `helm chart ${chart.name ?? ''}`);
    },
  };
}
