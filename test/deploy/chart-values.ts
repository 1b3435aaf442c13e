import { overlays } from './manifests.ts';

/** The values of the chart that say what the name of an overlay says. */
export function valuesOf(overlay: string): string[] {
  if (overlay === 'gitops') return ['ingress.enabled=false'];
  const [, which, dataPlane, daemonset] = /^(both|ingress)-(.*?)(-daemonset)?$/.exec(overlay)!;
  return [
    `dataPlane=${dataPlane}`,
    `gitops.enabled=${which === 'both'}`,
    ...(daemonset === undefined ? [] : ['ingress.workload=DaemonSet']),
  ];
}

/** Every way in which the chart can be installed: those of the overlays, and what can be switched besides. */
export const chartVariants: ReadonlyMap<string, readonly string[]> = new Map([
  ...overlays.map((overlay) => [overlay, valuesOf(overlay)] as const),
  ['with the dashboard', ['dashboard.enabled=true']],
  [
    'with traces and a standby',
    ['gitops.replicas=2', 'traces.endpoint=http://otel-collector.observability:4318'],
  ],
  ["with cert-manager's certificate", ['webhook.certManager=true']],
  ['with a service monitor', ['serviceMonitor.enabled=true']],
  ['without the webhook', ['webhook.enabled=false']],
  ['without policies', ['networkPolicies.enabled=false', 'priorityClasses.create=false']],
]);

const definition = (group: string, kind: string) => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: ${kind.toLowerCase()}s.${group} }
spec:
  group: ${group}
  scope: Namespaced
  names: { kind: ${kind}, plural: ${kind.toLowerCase()}s }
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true }
`;

/** What cert-manager and the Prometheus Operator bring along, as far as our objects need it to be taken. */
export const foreignDefinitions: string = [
  definition('cert-manager.io', 'Issuer'),
  definition('cert-manager.io', 'Certificate'),
  definition('monitoring.coreos.com', 'ServiceMonitor'),
].join('---\n');
