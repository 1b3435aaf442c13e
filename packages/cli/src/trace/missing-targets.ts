import { objectFromTags } from '@waygate/ingress';
import { isForbidden, isNotFound, type KubeClient } from '@waygate/kube';
import { type EndpointSlice, kinds, type Service } from '@waygate/schema';
import type { GatewayTrace } from './gateway-trace.ts';

/** Why the answer to a request is 503, and what to do. */
export interface MissingTargets {
  readonly message: string;
  readonly fix: string;
}

/** Looks in the cluster why a service of the gateway has no targets; undefined when it has some. */
export async function missingTargets(
  client: KubeClient,
  trace: GatewayTrace,
  isUp: boolean,
  signal: AbortSignal,
): Promise<MissingTargets | undefined> {
  if (!trace.isWithoutTargets) return undefined;
  const name = serviceBehind(trace);
  if (name === undefined) return whyMissing(undefined, { isUp });
  try {
    const service = await client
      .resource(kinds.Service)
      .get(name.name, { namespace: name.namespace }, { signal })
      .catch((error: unknown) => {
        if (isNotFound(error)) return undefined;
        throw error;
      });
    const { items } = await client.resource(kinds.EndpointSlice).list(
      {
        namespace: name.namespace,
        labelSelector: `kubernetes.io/service-name=${name.name}`,
      },
      { signal },
    );
    return whyMissing(name, { service, slices: items, isUp });
  } catch (error) {
    if (isForbidden(error)) return whyMissing(undefined, { isUp });
    throw error;
  }
}

interface ServiceName {
  readonly namespace: string;
  readonly name: string;
}

/** The Service that a service of the gateway was made from: by its tags, or by its host where it has none. */
function serviceBehind({ match }: GatewayTrace): ServiceName | undefined {
  const service = match?.entry.service;
  const tagged = objectFromTags(service?.tags ?? []);
  if (tagged?.kind === 'Service' && tagged.name !== 'UNKNOWN')
    return { namespace: tagged.namespace, name: tagged.name };
  const [, name, namespace] = /^([^.]+)\.([^.]+)\.[^.]+\.svc$/.exec(service?.host ?? '') ?? [];
  return name === undefined || namespace === undefined ? undefined : { namespace, name };
}

/** The words for it. */
export function whyMissing(
  name: ServiceName | undefined,
  found: {
    readonly service?: Service | undefined;
    readonly slices?: readonly EndpointSlice[];
    /** Whether the cluster is one of `waygate up`, where nothing runs pods. */
    readonly isUp: boolean;
  },
): MissingTargets {
  if (name === undefined)
    return {
      message: 'no targets: the answer is 503',
      fix: 'Are there ready Pods behind the Service? Do its selector and port fit them?',
    };
  const shown = `Service ${name.namespace}/${name.name}`;
  if (found.service === undefined)
    return {
      message: `no targets: ${shown} is not there`,
      fix: 'add it to the manifests, or correct the name in the route',
    };
  const endpoints = (found.slices ?? []).flatMap((slice) => slice.endpoints ?? []);
  if (endpoints.length > 0)
    return {
      message: `no targets: ${shown} has ${endpoints.length} endpoint${endpoints.length === 1 ? '' : 's'}, and none that is ready for this port`,
      fix: found.isUp
        ? 'waygate problems says what is wrong with what stands in for it'
        : `kubectl get endpointslices -n ${name.namespace} -l kubernetes.io/service-name=${name.name} -o yaml shows them`,
    };
  return {
    message: `no targets: ${shown} has no endpoints`,
    fix: found.isUp
      ? 'nothing runs pods here: say in waygate.yaml what stands in for it (waygate init proposes it)'
      : 'Are there ready Pods behind it? Do its selector and port fit them?',
  };
}
