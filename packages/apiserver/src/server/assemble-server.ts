import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { isLoopback } from '@waygate/text';
import { allowAll } from '../access/authorizer.ts';
import { RbacAuthorizer } from '../access/rbac-authorizer.ts';
import { Authenticator } from '../auth/authenticator.ts';
import { reviewHandlers } from '../auth/review-handlers.ts';
import { TokenIssuer } from '../auth/token-issuer.ts';
import { builtinStrategies, singleMachineStrategies } from '../builtins/strategies.ts';
import type { Core } from '../core/core.ts';
import { definitionStrategy } from '../crd/definition-strategy.ts';
import { Discovery } from '../discovery/discovery.ts';
import { ServerMetrics } from '../discovery/metrics.ts';
import { OpenApi } from '../discovery/open-api.ts';
import { openIdPaths, rootPaths } from '../discovery/plain-paths.ts';
import { builtinResources } from '../resources/builtin-resources.ts';
import { defaultClusterSettings } from '../resources/cluster-settings.ts';
import { Registry } from '../resources/registry.ts';
import { podHandlers } from '../rest/pod-handlers.ts';
import type { Store } from '../storage/store.ts';
import type { ApiServerOptions } from './api-server-options.ts';
import { admissionGates } from './gates.ts';
import { RequestHandler } from './request-handler.ts';

/** What is chosen for a server that leaves it open. */
type Chosen = ApiServerOptions &
  Required<Pick<ApiServerOptions, 'now' | 'host' | 'adminToken' | 'log'>>;

interface Surroundings {
  readonly options: Chosen;
  /** Host and port, once it listens. */
  readonly address: () => string;
  readonly isReady: () => boolean;
}

/** What answers requests, over a store: nothing runs or listens yet. */
export function assembleServer(store: Store, { options, address, isReady }: Surroundings) {
  const registry = newRegistry(options);
  const rbac = new RbacAuthorizer(store);
  const authorizer = options.authorization === 'AlwaysAllow' ? allowAll : rbac;
  const core: Core = {
    store,
    registry,
    // Gates are made of the core that they guard.
    get admission() {
      return admission;
    },
    authorizer,
    now: options.now,
    uuid: randomUUID,
    randomSuffix,
    log: options.log,
    settings: { ...defaultClusterSettings, ...options.cluster },
    bookmarkPeriodMs: options.bookmarkPeriodMs ?? 60_000,
    podRuntime: options.podRuntime,
  };
  const admission = admissionGates(core, { authorizer, rbac });
  const tokens = new TokenIssuer(core, {
    ...(options.dataDir === undefined ? {} : { file: join(options.dataDir, 'pki', 'sa.key') }),
    ...options.serviceAccountTokens,
  });
  const authenticator = newAuthenticator(options, tokens);
  const metrics = new ServerMetrics(core);
  const { host, insecure } = options;
  const handler = new RequestHandler({
    core,
    authenticator,
    authorizer,
    discovery: new Discovery(registry, address),
    special: new Map([...reviewHandlers({ authenticator, authorizer, tokens }), ...podHandlers]),
    paths: [
      openIdPaths(tokens, address),
      rootPaths(registry),
      metrics.handle,
      new OpenApi(registry).handle,
    ],
    // On loopback every page of the user's browser is a neighbour; with TLS, names are proved.
    ...(isLoopback(host) ? { pages: { host, isNameChecked: insecure === true } } : {}),
    health: { isReady, storageProblem: () => store.problem },
    observe: (exchange) => metrics.observe(exchange),
  });
  return { core, tokens, handler };
}

function newRegistry({ allowsLoopbackEndpoints }: ApiServerOptions): Registry {
  const strategies = allowsLoopbackEndpoints === true ? singleMachineStrategies : builtinStrategies;
  return new Registry(
    builtinResources({
      ...strategies,
      'customresourcedefinitions.apiextensions.k8s.io': definitionStrategy,
    }),
  );
}

function newAuthenticator(options: Chosen, tokens: TokenIssuer): Authenticator {
  const known = [
    { token: options.adminToken, username: 'admin', groups: ['system:masters'] },
    ...(options.tokens ?? []),
  ];
  const issued = (token: string) => {
    const check = tokens.check(token);
    // A token for others is not one for us.
    return check.kind === 'valid' && tokens.isForUs(check.claims) ? check.user : undefined;
  };
  return new Authenticator(known, [issued], options.allowsAnonymous ?? true);
}

const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789';

function randomSuffix(): string {
  return Array.from(randomBytes(5), (byte) => suffixAlphabet[byte % suffixAlphabet.length]).join(
    '',
  );
}
