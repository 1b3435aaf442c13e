import { isIP } from 'node:net';
import type { DynamicObject } from '@waygate/schema';
import { equalJson } from '@waygate/text';
import type { Core } from '../core/core.ts';

import { ensure, overwriteFields } from './bootstrap.ts';

const name = 'kubernetes';
const namespace = 'default';

/**
 * Writes where this server is, for those who look for it behind the Service `kubernetes`. A server that
 * is not at an address (but at a name) has none to write.
 */
export async function publishOwnEndpoints(core: Core, host: string, port: number): Promise<void> {
  if (isIP(host) === 0 || host === '0.0.0.0' || host === '::') return;
  const endpointPort = { name: 'https', port, protocol: 'TCP' };
  const objects: DynamicObject[] = [
    {
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: { name, namespace, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
      subsets: [{ addresses: [{ ip: host }], ports: [endpointPort] }],
    },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name, namespace, labels: { 'kubernetes.io/service-name': name } },
      addressType: isIP(host) === 6 ? 'IPv6' : 'IPv4',
      endpoints: [{ addresses: [host], conditions: { ready: true } }],
      ports: [endpointPort],
    },
  ];
  for (const object of objects) await write(core, object);
}

/** Creates it, or brings it to where the server is now: a restart may have moved it. */
async function write(core: Core, object: DynamicObject): Promise<void> {
  const [group, version] = (object.apiVersion as string).includes('/')
    ? ((object.apiVersion as string).split('/') as [string, string])
    : (['', 'v1'] as const);
  const resource = core.registry.findKind(group, version, object.kind as string);
  if (resource === undefined) return;
  const found = core.store.getHead(resource.collection, `${namespace}/${name}`)?.object;
  if (found === undefined) {
    await ensure(core, structuredClone(object), 'kube-apiserver');
    return;
  }
  const { metadata: _metadata, apiVersion: _apiVersion, kind: _kind, ...place } = object;
  if (Object.entries(place).every(([key, value]) => equalJson(found[key], value))) return;
  await overwriteFields(core, resource, { namespace, name }, place);
}
