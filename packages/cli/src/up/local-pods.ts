import { once } from 'node:events';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import type { PodLogOptions, PodRuntime } from '@waygate/apiserver';
import type { Container, DynamicObject } from '@waygate/schema';
import type { TaskState } from '../processes/task.ts';
import { localPort } from '../workloads/endpoint-objects.ts';
import type { OutputBook } from '../workloads/output-book.ts';
import { nothingRunsPods, taskAnnotation } from '../workloads/pod-objects.ts';
import type { BoundService } from '../workloads/service-bindings.ts';

interface LocalPodsOptions {
  readonly output: OutputBook;
  readonly bound: (id: string) => BoundService | undefined;
  readonly state: (id: string) => TaskState | undefined;
}

type AnyPod = Readonly<DynamicObject>;

/** Gives `kubectl logs` and `kubectl port-forward` what stands behind the Pods of bound Services. */
export class LocalPods implements PodRuntime {
  readonly #options: LocalPodsOptions;

  constructor(options: LocalPodsOptions) {
    this.#options = options;
  }

  refusal(pod: AnyPod): string | undefined {
    const bound = this.#options.bound(idOf(pod));
    return bound === undefined ? `pod ${pod.metadata.name}: ${nothingRunsPods}` : undefined;
  }

  log(pod: AnyPod, options: PodLogOptions): AsyncIterable<string> {
    const bound = this.#options.bound(idOf(pod));
    if (bound?.binding.kind !== 'attach') return this.#options.output.read(idOf(pod), options);
    const { host, port } = bound.binding;
    return lines(
      `this pod is what listens on ${host}:${port}: waygate did not start it, its output is where it runs`,
    );
  }

  async connect(pod: AnyPod, port: number): Promise<Duplex> {
    const id = idOf(pod);
    const bound = this.#options.bound(id);
    const state = this.#options.state(id);
    if (bound === undefined || state === undefined)
      throw new Error(this.refusal(pod) ?? nothingRunsPods);
    const address = bound.binding.kind === 'attach' ? bound.binding.host : '127.0.0.1';
    const target = connect(localPortOf(pod, bound, state, port), address);
    await once(target, 'connect');
    return target;
  }
}

function idOf({ metadata }: AnyPod): string {
  return metadata.annotations?.[taskAnnotation] ?? '';
}

async function* lines(...all: readonly string[]): AsyncGenerator<string> {
  for (const line of all) yield `${line}\n`;
}

/** Where a port of the Pod is served: the Service's port that leads to it says. */
function localPortOf(
  pod: AnyPod,
  { service, binding }: BoundService,
  state: TaskState,
  port: number,
): number {
  const containers = (
    (pod.spec as { containers?: Container[] } | undefined)?.containers ?? []
  ).flatMap(({ ports = [] }) => ports);
  const named = containers.find(({ containerPort }) => containerPort === port)?.name;
  const served = (service.spec?.ports ?? []).find(
    (each) =>
      (each.targetPort ?? each.port) === port || (named !== undefined && each.targetPort === named),
  );
  if (served !== undefined) return localPort(binding, served, state.port);
  if (containers.some(({ containerPort }) => containerPort === port))
    return localPort(binding, { name: named ?? '', port }, state.port);
  const known = containers.map(({ containerPort }) => containerPort).join(', ');
  throw new Error(
    `pod ${pod.metadata.name} has no port ${port}${known === '' ? '' : `; it has ${known}`}`,
  );
}
