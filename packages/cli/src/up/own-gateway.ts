import type { KubeClient } from '@waygate/kube';
import type { DynamicObject, KubeObject } from '@waygate/schema';
import { gatewayKind } from './gateway-kinds.ts';
import { applyObject, fieldManager } from './install-objects.ts';

/** Where routes find it that name a Gateway `kong` of their own namespace, as most examples do. */
const place = { name: 'kong', namespace: 'default' };

const spec: DynamicObject['spec'] = {
  gatewayClassName: 'kong',
  listeners: [
    {
      name: 'http',
      port: 80,
      protocol: 'HTTP',
      allowedRoutes: { namespaces: { from: 'All' } },
    },
  ],
};

/**
 * A Gateway for routes to attach to, where the project brings none. Once it is there it stays, as routes may be
 * attached to it; if somebody else brings one of its name, that one counts and nothing of ours is left in it.
 */
export class OwnGateway {
  readonly #client: KubeClient;
  #isBusy = false;

  constructor(client: KubeClient) {
    this.#client = client;
  }

  /** Looks at the Gateways that there are, and makes or gives up its own; fails as a request does. */
  async look(gateways: readonly KubeObject[], signal: AbortSignal): Promise<void> {
    const wanted = wantedGateway(gateways);
    if (wanted === undefined || this.#isBusy) return;
    this.#isBusy = true;
    try {
      await applyObject(this.#client, gatewayKind, wanted, signal);
    } finally {
      this.#isBusy = false;
    }
  }
}

/** What to apply as ours, if that differs from what is there. */
export function wantedGateway(gateways: readonly KubeObject[]): KubeObject | undefined {
  if (gateways.length === 0) return { metadata: place, spec } as KubeObject;
  const own = gateways.find(
    ({ metadata }) => metadata.name === place.name && metadata.namespace === place.namespace,
  );
  const managers = (own?.metadata.managedFields ?? []).filter(
    ({ subresource = '' }) => subresource === '',
  );
  const isOurs = managers.some(({ manager }) => manager === fieldManager);
  const isTheirs = managers.some(({ manager }) => manager !== fieldManager);
  // Applied without a word on its spec, ours ends where it says what they do not.
  return isOurs && isTheirs ? ({ metadata: place } as KubeObject) : undefined;
}
