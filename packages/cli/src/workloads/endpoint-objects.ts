import type { DynamicObject, Service } from '@waygate/schema';
import type { TaskState } from '../processes/task.ts';
import type { Binding } from './binding.ts';

export const sliceManager = 'waygate-up';

const sliceNameOf = (service: string): string => `${service}-waygate-up`;

/** Where requests to a bound Service go: each of its ports to where the process, or what is attached, listens. */
export function endpointSliceOf(
  service: Service,
  binding: Binding,
  state: TaskState | undefined,
): DynamicObject {
  const { name = '', namespace = '', uid = '' } = service.metadata;
  const address = binding.kind === 'attach' ? binding.host : '127.0.0.1';
  const ready = state?.isReady === true;
  return {
    metadata: {
      name: sliceNameOf(name),
      namespace,
      labels: {
        'kubernetes.io/service-name': name,
        'endpointslice.kubernetes.io/managed-by': sliceManager,
      },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Service', name, uid }],
    },
    addressType: 'IPv4',
    endpoints: [
      { addresses: [address], conditions: { ready, serving: ready, terminating: false } },
    ],
    ports: (service.spec?.ports ?? []).map((port) => ({
      name: port.name ?? '',
      port: localPort(binding, port, state?.port ?? 0),
      protocol: port.protocol ?? 'TCP',
      ...(port.appProtocol === undefined ? {} : { appProtocol: port.appProtocol }),
    })),
  };
}

/** Where a port of the Service, or the port of a container that it leads to, is served. */
export function localPort(
  { ports }: Binding,
  { name = '', port }: { readonly name?: string; readonly port: number },
  main: number,
): number {
  return ports[name] ?? ports[String(port)] ?? main;
}
