import type { PluginEntity } from '../kong-state.ts';
import type { LocationPlan } from './location-plan.ts';
import type { LocationTargets } from './location-plugins.ts';
import type { ResolvedNginxOptions } from './options.ts';

/** Counts the requests of a location as ingress-nginx does, where that is asked for. */
export function metricsPlugin(
  { location, names }: LocationPlan,
  { backend, canary, upstream }: LocationTargets,
  { metrics, controllerClass }: ResolvedNginxOptions,
): PluginEntity[] {
  if (metrics === undefined || location.page !== undefined) return [];
  const { metadata } = location.owner?.ingress ?? { metadata: {} };
  const hosts = names.filter(({ text, kind }) => kind === 'exact' && text !== '_');
  const alternative = canary?.backend;
  const config = {
    // Only hosts that are named: labels must not be made by clients.
    hosts: hosts.map(({ text }) => text),
    any_host: metrics.countsUndefinedHosts ?? false,
    per_host: metrics.isPerHost ?? true,
    status_classes: metrics.hasStatusClasses ?? false,
    namespace: metadata.namespace ?? '',
    ingress: metadata.name ?? '',
    service: backend?.service ?? '',
    path: location.rulePath,
    answers_itself: upstream === undefined,
    ...(canary !== undefined &&
      alternative !== undefined && {
        canary: {
          upstream: canary.upstream.entity.name,
          label: `${alternative.namespace}-${alternative.service}-${alternative.port}`,
        },
      }),
    controller_class: controllerClass,
    controller_namespace: metrics.namespace,
    controller_pod: metrics.pod,
  };
  return [{ name: 'nginx-metrics', config }];
}
