import { helmReleaseKind } from '@waygate/gitops';
import { encodeRelease } from '@waygate/helm';
import type { KubeClient } from '@waygate/kube';
import { kinds } from '@waygate/schema';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runInProcess } from '../run-in-process.ts';
import { type Fleet, startFleet } from '../testing/fleet.ts';

let fleet: Fleet;
let client: KubeClient;
let env: Record<string, string>;

beforeAll(async () => {
  fleet = await startFleet();
  ({ client, env } = fleet);
});

afterAll(() => fleet[Symbol.asyncDispose]());

describe('trace of an object', () => {
  test('trace names the template that an object of a HelmRelease came from', async () => {
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
    const { stdout, exitCode } = await runInProcess(['trace', 'cm/shop-web'], { env });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^HelmRelease: +shop$/m);
    expect(stdout).toMatch(/^Template: +web\/templates\/ConfigMap.yaml:3$/m);
    const field = await runInProcess(['trace', 'cm/shop-web', '--field', 'data.a'], { env });
    expect(field.stdout).toMatch(/^Field: +data.a from web\/templates\/ConfigMap.yaml:8$/m);
    const none = await runInProcess(['trace', 'cm/shop-web', '--field', 'data.b'], { env });
    expect(none.stdout).toMatch(/^Field: +data.b, of no line that can be told$/m);
    // Without the right to read releases, or when they are gone, the rest is told.
    await client
      .resource(kinds.Secret)
      .delete('sh.helm.release.v1.shop.v3', { namespace: 'default' });
    const without = await runInProcess(['trace', 'cm/shop-web'], { env });
    expect(without.stdout).toBe(stdout.replace(/^Template: .*\n/m, ''));
    await releases.delete('shop', { namespace: 'default' });
  });

  test('trace follows an object back to its Kustomization', async () => {
    await client.resource(kinds.ConfigMap).create({
      metadata: {
        name: 'web',
        namespace: 'default',
        labels: {
          'kustomize.toolkit.fluxcd.io/name': 'apps',
          'kustomize.toolkit.fluxcd.io/namespace': 'default',
        },
      },
    });
    for (const words of [
      ['cm', 'web'],
      ['configmap/web'],
      ['web', '--kind=ConfigMap', '--api-version=v1'],
    ]) {
      const { stdout, exitCode } = await runInProcess(['trace', ...words], { env });
      expect(exitCode).toBe(0);
      expect(stdout).toBe(`
Object:          ConfigMap/web
Namespace:       default
Status:          Managed by Flux
---
Kustomization:   apps
Namespace:       default
Path:            ./
Revision:        main@sha1:abc
Status:          Last reconciled at 2026-01-01 00:00:00 +0000 UTC
Message:         Applied revision: main@sha1:abc
---
GitRepository:   src
Namespace:       default
Status:          It is gone
File:            unknown: the source is gone
`);
    }
    await client
      .resource(kinds.ConfigMap)
      .create({ metadata: { name: 'vars', namespace: 'default' } });
    const foreign = await runInProcess(['trace', 'cm/vars'], { env });
    expect(foreign.stdout).toContain('Not managed by Flux');
    expect(foreign.exitCode).toBe(1);
    const unknown = await runInProcess(['trace', 'frob', 'web'], { env });
    expect(unknown.exitCode).toBe(64);
    // The gateway is loaded for the other half of the verb.
  }, 120_000);
});
