import type { MigratedName, MigrationEngine, MigrationVerdict } from '@waygate/dashboard';
import type { UsedName } from '@waygate/ingress';
import { isForbidden } from '@waygate/kube';
import { nginxReport, supports } from '../migrate/nginx-report.ts';
import { nginxControllers, optionsOfRunning } from '../migrate/nginx-source.ts';
import { followedObjects } from '../preview-gateway.ts';

const worstFirst: readonly MigrationVerdict[] = ['cannot', 'but', 'same'];

/** Classes belong to the cluster: who may not list them most likely uses the one that its manifests bring. */
const defaultClass = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'IngressClass',
  metadata: { name: 'nginx' },
  spec: { controller: 'k8s.io/ingress-nginx' },
};

/** The report of `waygate migrate --from ingress-nginx`, for the page: everything is read as the person who looks. */
export const nginxMigrationEngine: MigrationEngine = {
  async survey({ client }, namespaces, signal) {
    const { objects, notes } = await followedObjects(client, signal, undefined, namespaces);
    const [running] = await nginxControllers({ client, signal }).catch((error: unknown) => {
      if (!isForbidden(error)) throw error;
      notes.push('Deployments may not be listed: its flags are taken to be the defaults');
      return [];
    });
    const isBlind = notes.some((note) => note.startsWith('IngressClass '));
    const judged = [...objects.values(), ...(isBlind ? [defaultClass] : [])];
    const { ingresses, annotations, settings } = nginxReport(
      judged,
      optionsOfRunning(running),
    ).takeover;
    return {
      ingresses: ingresses
        .map(({ namespace, name, ...verdict }) => ({
          object: { group: 'networking.k8s.io', version: 'v1', kind: 'Ingress', namespace, name },
          ...verdict,
        }))
        .sort((one, other) => rankOf(one) - rankOf(other)),
      annotations: annotations.map(shown),
      settings: settings.map(shown),
      notes,
    };
  },
};

function rankOf({ verdict }: { readonly verdict: MigrationVerdict }): number {
  return worstFirst.indexOf(verdict);
}

function shown({ name, count, support, note }: UsedName): MigratedName {
  return { name, count, support: supports[support], note };
}
