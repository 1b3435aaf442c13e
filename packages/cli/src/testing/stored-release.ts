import { helmReleaseKind } from '@waygate/gitops';
import { encodeRelease } from '@waygate/helm';
import type { KubeClient } from '@waygate/kube';
import { kinds } from '@waygate/schema';

/**
 * A HelmRelease `shop` of the chart `web` as its controller leaves it, with the release in Helm's storage and its
 * ConfigMap `shop-web`, whose `data.a` comes from the eighth line of `web/templates/ConfigMap.yaml`.
 */
export async function storeRelease(client: KubeClient): Promise<void> {
  const metadata = { name: 'shop', namespace: 'default' };
  const chart = { spec: { chart: 'web', sourceRef: { kind: 'HelmRepository', name: 'charts' } } };
  const releases = client.resource(helmReleaseKind);
  await releases.create({ metadata, spec: { interval: '1h', chart } });
  const snapshot = {
    ...{ digest: 'sha256:1', name: 'shop', namespace: 'default', version: 3, status: 'deployed' },
    ...{ chartName: 'web', chartVersion: '1.0.0', configDigest: 'sha256:2' },
    ...{ firstDeployed: '2026-01-01T00:00:00Z', lastDeployed: '2026-01-01T00:00:00Z' },
  };
  const status = { storageNamespace: 'default', history: [snapshot] };
  await releases.status.patch('shop', { status }, { namespace: 'default' });
  const object = (kind: string, name: string) =>
    `# Source: web/templates/${kind}.yaml\napiVersion: v1\nkind: ${kind}\nmetadata:\n  name: ${name}\n`;
  const template =
    '{{- if .Values.on }}\n# One\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}-web\ndata:\n  {{- toYaml .Values.data | nindent 2 }}\n{{- end }}\n';
  const release = encodeRelease({
    config: { on: true, data: { a: 'b' } },
    ...{ name: 'shop', namespace: 'default', version: 3, info: { status: 'deployed' } },
    manifest: `---\n${object('Service', 'shop-web')}---\n${object('ConfigMap', 'shop-web')}`,
    chart: {
      ...{
        metadata: { apiVersion: 'v2', name: 'web', version: '1.0.0' },
        lock: null,
        templates: [
          {
            name: 'templates/ConfigMap.yaml',
            data: Buffer.from(template).toString('base64'),
          },
          {
            name: 'templates/Broken.yaml',
            data: Buffer.from('{{ include "kid" . }}').toString('base64'),
          },
        ],
      },
      ...{ values: null, schema: null, files: null },
    },
  });
  await client.resource(kinds.Secret).create({
    metadata: { name: 'sh.helm.release.v1.shop.v3', namespace: 'default' },
    data: { release: Buffer.from(release).toString('base64') },
  });
  const labels = {
    'helm.toolkit.fluxcd.io/name': 'shop',
    'helm.toolkit.fluxcd.io/namespace': 'default',
  };
  await client
    .resource(kinds.ConfigMap)
    .create({ metadata: { name: 'shop-web', namespace: 'default', labels } });
}
