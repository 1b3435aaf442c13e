import { helmReleaseKind } from '@waygate/gitops';
import type { KubeClient } from '@waygate/kube';
import { kinds } from '@waygate/schema';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runInProcess } from '../run-in-process.ts';
import { type Fleet, startFleet } from '../testing/fleet.ts';
import { storeRelease } from '../testing/stored-release.ts';

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
    await storeRelease(client);
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
    await client.resource(helmReleaseKind).delete('shop', { namespace: 'default' });
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
