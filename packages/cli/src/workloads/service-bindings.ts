import type { Container, Service } from '@waygate/schema';
import type { Binding } from './binding.ts';
import { isBehind, type Workload } from './workload.ts';

/** A Service, what stands in for it, and the workloads whose Pods it leads to in a cluster. */
export interface BoundService {
  readonly service: Service;
  readonly binding: Binding;
  readonly workloads: readonly Workload[];
}

/** How bindings and Services fit together. */
export interface Fit {
  readonly bound: readonly BoundService[];
  /** Services with a selector that nothing stands in for. */
  readonly unbound: readonly Service[];
  readonly problems: readonly string[];
}

/** Finds the Service of each binding, and the workloads behind it. */
export function fitBindings(
  bindings: readonly Binding[],
  services: readonly Service[],
  workloads: readonly Workload[],
): Fit {
  const problems: string[] = [];
  const bound = bindings.flatMap((binding): BoundService[] => {
    const found = services.filter((service) => isNamed(binding.service, service));
    const [service, another] = found;
    if (service === undefined) {
      problems.push(`${binding.place}: there is no Service ${binding.service} in the cluster`);
      return [];
    }
    if (another !== undefined) {
      const names = found.map(nameOf).join(', ');
      problems.push(`${binding.place}: several Services have the name: say which of ${names}`);
      return [];
    }
    return [{ service, binding, workloads: workloads.filter((each) => isBehind(service, each)) }];
  });
  const taken = new Set(bound.map(({ service }) => service));
  return {
    bound,
    unbound: services.filter((each) => !taken.has(each) && needsPods(each)),
    problems,
  };
}

export function nameOf({ metadata }: Service): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function isNamed(wanted: string, service: Service): boolean {
  return wanted.includes('/') ? wanted === nameOf(service) : wanted === service.metadata.name;
}

/** Whether it leads to Pods that it selects. */
export function needsPods({ spec }: Service): boolean {
  return spec?.type !== 'ExternalName' && Object.keys(spec?.selector ?? {}).length > 0;
}

/** The container that the Service leads to: its port decides, else it is the first. */
export function servedContainer(workload: Workload, service?: Service): Container | undefined {
  const containers = workload.template.spec?.containers ?? [];
  const targets = (service?.spec?.ports ?? []).map(({ targetPort, port }) => targetPort ?? port);
  return (
    containers.find(({ ports = [] }) =>
      ports.some(
        ({ name, containerPort }) =>
          targets.includes(containerPort) || (name !== undefined && targets.includes(name)),
      ),
    ) ?? containers[0]
  );
}
