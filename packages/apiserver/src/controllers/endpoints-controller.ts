import type { DynamicObject } from '@waygate/schema';
import { equalJson } from '@waygate/text';
import { type Fields, listAt, numberAt, objectAt, textAt } from '../builtins/fields.ts';
import type { Core } from '../core/core.ts';
import { formatTime } from '../decode/time-text.ts';

import { Controller } from './controller.ts';
import { ControllerWriter } from './writer.ts';

const changeAnnotation = 'endpoints.kubernetes.io/last-change-trigger-time';
const serviceLabel = 'kubernetes.io/service-name';
const managedLabel = 'endpointslice.kubernetes.io/managed-by';
const managerName = 'endpointslice-controller.k8s.io';
const slices = 'discovery.k8s.io/endpointslices';

/** Lists the pods behind each Service that selects some, as Endpoints and as an EndpointSlice. */
export class EndpointsController extends Controller {
  readonly #writer: ControllerWriter;

  constructor(core: Core) {
    super(core);
    this.#writer = new ControllerWriter(core);
  }

  start(): void {
    for (const entry of this.core.store.collection('services').entries()) this.enqueue(entry.key);
    this.follow('services', (event) => this.enqueue(event.entry.key));
    this.follow('pods', (event) => {
      for (const service of this.core.store.collection('services').entries(event.entry.namespace)) {
        const selector = objectAt(objectAt(service.object, 'spec'), 'selector') as Record<
          string,
          string
        >;
        const touches = [event.entry, event.previous].some(
          (pod) => pod !== undefined && selects(selector, pod.object),
        );
        if (touches) this.enqueue(service.key);
      }
    });
  }

  protected async reconcile(key: string): Promise<void> {
    const service = this.core.store.get('services', key)?.object;
    const [namespace = '', name = ''] = key.split('/');
    if (service === undefined) {
      await this.#writer.delete(this.#writer.resource('', 'v1', 'endpoints'), namespace, name);
      return;
    }
    const spec = objectAt(service, 'spec');
    const selector = objectAt(spec, 'selector') as Record<string, string>;
    if (Object.keys(selector).length === 0 || textAt(spec, 'type') === 'ExternalName') return;
    const pods = this.core.store
      .collection('pods')
      .entries(namespace)
      .map((entry) => entry.object)
      .filter((pod) => selects(selector, pod) && textAt(objectAt(pod, 'status'), 'podIP') !== '');
    await this.#writeEndpoints(service, pods);
    await this.#writeSlice(service, pods);
  }

  async #writeEndpoints(
    service: Readonly<DynamicObject>,
    pods: readonly Readonly<DynamicObject>[],
  ): Promise<void> {
    const { name = '', namespace = '' } = service.metadata;
    const address = (pod: Readonly<DynamicObject>) => ({
      ip: textAt(objectAt(pod, 'status'), 'podIP'),
      ...(textAt(objectAt(pod, 'spec'), 'nodeName') === ''
        ? {}
        : { nodeName: textAt(objectAt(pod, 'spec'), 'nodeName') }),
      targetRef: { kind: 'Pod', namespace, name: pod.metadata.name, uid: pod.metadata.uid },
    });
    const publishes = objectAt(service, 'spec').publishNotReadyAddresses === true;
    const live = pods.filter((pod) => pod.metadata.deletionTimestamp === undefined || publishes);
    const ready = live.filter((pod) => publishes || isReady(pod)).map(address);
    const notReady = live.filter((pod) => !publishes && !isReady(pod)).map(address);
    const ports = portsOf(service, pods).map(({ name: port, ...rest }) =>
      port === '' ? rest : { name: port, ...rest },
    );
    const subsets =
      live.length === 0
        ? undefined
        : [
            {
              ...(ready.length > 0 ? { addresses: ready } : {}),
              ...(notReady.length > 0 ? { notReadyAddresses: notReady } : {}),
              ...(ports.length > 0 ? { ports } : {}),
            },
          ];
    const resource = this.#writer.resource('', 'v1', 'endpoints');
    const current = this.core.store.get('endpoints', `${namespace}/${name}`);
    const time = service.metadata.creationTimestamp ?? formatTime(this.core.now());
    const isHeadless = objectAt(service, 'spec').clusterIP === 'None';
    const labels = {
      ...service.metadata.labels,
      'endpoints.kubernetes.io/managed-by': 'endpoint-controller',
      ...(isHeadless ? { 'service.kubernetes.io/headless': '' } : {}),
    };
    if (current === undefined) {
      await this.#writer.create(resource, {
        apiVersion: 'v1',
        kind: 'Endpoints',
        metadata: { name, namespace, labels, annotations: { [changeAnnotation]: time } },
        ...(subsets === undefined ? {} : { subsets }),
      });
      return;
    }
    if (
      equalJson(current.object.subsets ?? null, subsets ?? null) &&
      equalJson(current.object.metadata.labels, labels)
    )
      return;
    await this.#writer.update(resource, namespace, name, (object) => {
      object.metadata.labels = labels;
      if (subsets === undefined) delete object.subsets;
      else object.subsets = subsets;
    });
  }

  async #writeSlice(
    service: Readonly<DynamicObject>,
    pods: readonly Readonly<DynamicObject>[],
  ): Promise<void> {
    const { name = '', namespace = '', uid = '' } = service.metadata;
    const publishes = objectAt(service, 'spec').publishNotReadyAddresses === true;
    const endpoints = pods.map((pod) => {
      const isTerminating = pod.metadata.deletionTimestamp !== undefined;
      const node = textAt(objectAt(pod, 'spec'), 'nodeName');
      return {
        addresses: [textAt(objectAt(pod, 'status'), 'podIP')],
        conditions: {
          ready: publishes || (isReady(pod) && !isTerminating),
          serving: isReady(pod),
          terminating: isTerminating,
        },
        ...(node === '' ? {} : { nodeName: node }),
        targetRef: { kind: 'Pod', namespace, name: pod.metadata.name, uid: pod.metadata.uid },
      };
    });
    const ports = pods.length === 0 ? null : portsOf(service, pods);
    const isHeadless = objectAt(service, 'spec').clusterIP === 'None';
    const labels = {
      ...service.metadata.labels,
      [managedLabel]: managerName,
      [serviceLabel]: name,
      ...(isHeadless ? { 'service.kubernetes.io/headless': '' } : {}),
    };
    const resource = this.#writer.resource('discovery.k8s.io', 'v1', 'endpointslices');
    const mine = this.core.store
      .collection(slices)
      .entries(namespace)
      .find(
        (entry) =>
          entry.object.metadata.labels?.[serviceLabel] === name &&
          entry.object.metadata.labels[managedLabel] === managerName,
      );
    const body = { endpoints: endpoints.length === 0 ? null : endpoints, ports };
    if (mine === undefined) {
      await this.#writer.create(resource, {
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: {
          generateName: `${name}-`,
          namespace,
          labels,
          annotations: {
            [changeAnnotation]: service.metadata.creationTimestamp ?? formatTime(this.core.now()),
          },
          ownerReferences: [
            {
              apiVersion: 'v1',
              kind: 'Service',
              name,
              uid,
              controller: true,
              blockOwnerDeletion: true,
            },
          ],
        },
        addressType: 'IPv4',
        ...(endpoints.length === 0 ? {} : body),
      });
      return;
    }
    const { endpoints: had, ports: hadPorts } = mine.object;
    if (
      equalJson([had, hadPorts, mine.object.metadata.labels], [body.endpoints, body.ports, labels])
    )
      return;
    await this.#writer.update(resource, namespace, mine.name, (object) => {
      Object.assign(object, body);
      object.metadata.labels = labels;
    });
  }
}

function selects(selector: Record<string, string>, pod: Readonly<DynamicObject>): boolean {
  const labels = pod.metadata.labels ?? {};
  const pairs = Object.entries(selector);
  return pairs.length > 0 && pairs.every(([key, value]) => labels[key] === value);
}

function isReady(pod: Readonly<DynamicObject>): boolean {
  return listAt(objectAt(pod, 'status'), 'conditions').some(
    (each) => each.type === 'Ready' && each.status === 'True',
  );
}

/** The ports of a service on its pods: names are looked up in the containers. */
function portsOf(service: Readonly<DynamicObject>, pods: readonly Readonly<DynamicObject>[]) {
  return listAt(objectAt(service, 'spec'), 'ports').flatMap((port) => {
    const target = port.targetPort;
    const number = typeof target === 'number' ? target : containerPort(pods[0], String(target));
    if (number === undefined) return [];
    return [
      {
        name: textAt(port, 'name'),
        port: number,
        protocol: textAt(port, 'protocol'),
        ...(port.appProtocol === undefined ? {} : { appProtocol: port.appProtocol }),
      },
    ];
  });
}

function containerPort(pod: Readonly<DynamicObject> | undefined, name: string): number | undefined {
  const containers: Fields[] = listAt(objectAt(pod ?? {}, 'spec'), 'containers');
  for (const container of containers) {
    const found = listAt(container, 'ports').find((port) => port.name === name);
    if (found !== undefined) return numberAt(found, 'containerPort');
  }
  return undefined;
}
