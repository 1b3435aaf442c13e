import type { TokenIssuer } from '../auth/token-issuer.ts';
import { ApiServiceController } from '../controllers/api-services.ts';
import { DefinitionController } from '../controllers/definition-controller.ts';
import { EndpointsController } from '../controllers/endpoints-controller.ts';
import { GarbageCollector } from '../controllers/garbage-collector.ts';
import { NamespaceContentsController } from '../controllers/namespace-contents.ts';
import { NamespaceController } from '../controllers/namespace-controller.ts';
import { QuotaController } from '../controllers/quota-controller.ts';
import { RoleAggregationController } from '../controllers/role-aggregation.ts';
import { TokenSecretController } from '../controllers/token-secrets.ts';
import type { Core } from '../core/core.ts';

/** What a controller may need beside the core. */
interface ControllerNeeds {
  readonly core: Core;
  readonly tokens: TokenIssuer;
  /** PEM; empty when the server is insecure. */
  readonly caCertificate: string;
}

interface Loop {
  start(): void;
  stop(): Promise<void>;
}

/** The loops that in Kubernetes are another process, by the names that it has for them. */
const loops = {
  'namespace-controller': ({ core }) => new NamespaceController(core),
  'serviceaccount-controller': ({ core, caCertificate }) =>
    new NamespaceContentsController(core, caCertificate),
  'garbage-collector-controller': ({ core }) => new GarbageCollector(core),
  'endpoints-controller': ({ core }) => new EndpointsController(core),
  'clusterrole-aggregation-controller': ({ core }) => new RoleAggregationController(core),
  'resourcequota-controller': ({ core }) => new QuotaController(core),
  'serviceaccount-token-controller': ({ core, tokens, caCertificate }) =>
    new TokenSecretController(core, tokens, caCertificate),
} satisfies Readonly<Record<string, (needs: ControllerNeeds) => Loop>>;

/** A loop of kube-controller-manager that the embedded API has, too. */
export type ControllerName = keyof typeof loops;

/** Every controller that can be on or off. */
export const controllerNames = Object.keys(loops) as readonly ControllerName[];

/** Starts what follows writes: definitions and APIServices always, the others by choice. */
export function startControllers(
  needs: ControllerNeeds,
  chosen: readonly ControllerName[],
): { stop(): Promise<void> } {
  const running: Loop[] = [
    new DefinitionController(needs.core),
    new ApiServiceController(needs.core),
    ...controllerNames.filter((name) => chosen.includes(name)).map((name) => loops[name](needs)),
  ];
  for (const each of running) each.start();
  return {
    async stop() {
      for (const each of running) await each.stop();
    },
  };
}
