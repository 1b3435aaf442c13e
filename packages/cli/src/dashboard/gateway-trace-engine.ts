import type {
  LostRoute,
  Person,
  ShownObject,
  TraceAnswer,
  TraceEngine,
  TraceLink,
} from '@waygate/dashboard';
import { DashboardError } from '@waygate/dashboard';
import { type AdminClient, KongError } from '@waygate/kong';
import { CliError } from '../context.ts';
import { type CommitTrace, traceCommit } from '../trace/commit-trace.ts';
import type { PassedRoute } from '../trace/explain-routes.ts';
import { type GatewayTrace, traceGateway } from '../trace/gateway-trace.ts';
import { addressOf, conditionsOf, nameOf } from '../trace/trace-report.ts';
import { tracedRequest } from '../trace/traced-request.ts';
import { taggedObject } from './tagged-object.ts';

/** How many of the routes that did not get a request are named. */
const mostLost = 20;

/** A person looks at the page meanwhile, and would rather know. */
const patienceMs = 10_000;

/** The engine of `waygate trace`, for the page. */
export function gatewayTraceEngine(
  admin: () => AdminClient | undefined,
  withinMs = patienceMs,
): TraceEngine {
  return {
    async trace(question, person, signal) {
      const client = admin();
      if (client === undefined)
        throw new DashboardError('WG_DASHBOARD_UPSTREAM', 'no gateway answers');
      const late = AbortSignal.timeout(withinMs);
      const header = Object.entries(question.headers ?? {}).map(
        ([name, value]) => `${name}: ${value}`,
      );
      try {
        const method = question.method === undefined ? {} : { request: question.method };
        const request = tracedRequest(question.url, { header, ...method });
        const trace = await traceGateway(client, request, AbortSignal.any([signal, late]));
        return await answerOf(request.line, trace, person, signal);
      } catch (error) {
        if (late.aborted && !signal.aborted)
          throw new DashboardError(
            'WG_DASHBOARD_UPSTREAM',
            `the gateway did not answer within ${withinMs / 1000} s`,
            { cause: error },
          );
        throw asDashboardError(error);
      }
    },
  };
}

async function answerOf(
  request: string,
  trace: GatewayTrace,
  person: Person,
  signal: AbortSignal,
): Promise<TraceAnswer> {
  const { match, plugins, targets, passed } = trace;
  const lost = passed.slice(0, mostLost).map(lostRoute);
  const rest = { lost, lostMore: passed.length - lost.length };
  if (match === undefined) return { request, plugins: [], targets: [], chain: [], ...rest };
  const { entry, upstreamPath } = match;
  const objects = new Map<string, ShownObject>();
  for (const tags of [entry.route.tags, entry.service?.tags, ...plugins.map((each) => each.tags)]) {
    const object = taggedObject((tags ?? []) as readonly string[]);
    if (object !== undefined) objects.set(JSON.stringify(object), object);
  }
  const chain = await Promise.all(
    [...objects.values()].map((object) => linkOf(person, object, signal)),
  );
  return {
    request,
    route: { id: entry.route.id, name: nameOf(entry), conditions: conditionsOf(entry) },
    ...(entry.service === undefined ? {} : { upstreamUrl: `${addressOf(entry)}${upstreamPath}` }),
    plugins: plugins.map(({ name, scope }) => ({ name, scope })),
    targets: targets.map(({ target, weight, health }) => ({
      target,
      weight,
      health: healthWords[health] ?? 'unknown',
    })),
    chain,
    ...rest,
  };
}

const healthWords: Readonly<Record<string, 'healthy' | 'degraded'>> = {
  HEALTHY: 'healthy',
  HEALTHCHECKS_OFF: 'healthy',
  UNHEALTHY: 'degraded',
  DNS_ERROR: 'degraded',
};

function lostRoute({ entry, mismatches }: PassedRoute): LostRoute {
  const reason =
    mismatches.length === 0
      ? 'matches too, but comes later'
      : `does not match ${mismatches.map(({ field, wanted }) => `${field} ${wanted}`).join(', ')}`;
  return { id: entry.route.id, name: nameOf(entry), reason };
}

/** The way back from an object, as far as the person may go it. */
async function linkOf(
  person: Person,
  object: ShownObject,
  signal: AbortSignal,
): Promise<TraceLink> {
  try {
    return traceLink(object, await traceCommit(person.client, object, signal, true));
  } catch (error) {
    signal.throwIfAborted();
    return { object, stopped: (error as Error).message };
  }
}

function traceLink(object: ShownObject, trace: CommitTrace): TraceLink {
  const { kustomization, source, revision, file, lines, stopped } = trace;
  const commit = /@sha1:([0-9a-f]{40})$/.exec(revision ?? '')?.[1];
  const origin = {
    ...(kustomization === undefined
      ? {}
      : {
          kustomization: {
            group: 'kustomize.toolkit.fluxcd.io',
            version: 'v1',
            kind: 'Kustomization',
            ...kustomization,
          },
        }),
    ...(source === undefined
      ? {}
      : {
          source: {
            group: 'source.toolkit.fluxcd.io',
            version: 'v1',
            kind: source.kind,
            namespace: source.namespace,
            name: source.name,
          },
        }),
    ...(revision === undefined ? {} : { revision }),
    ...(commit === undefined ? {} : { commit }),
    ...(file === undefined ? {} : { file }),
  };
  return {
    object,
    ...(Object.keys(origin).length === 0 ? {} : { origin }),
    ...(lines === undefined ? {} : { lines }),
    ...(stopped === undefined ? {} : { stopped }),
  };
}

/** What was typed may be no request; what is asked may be down. */
function asDashboardError(error: unknown): unknown {
  if (error instanceof CliError)
    return new DashboardError('WG_DASHBOARD_BAD_REQUEST', error.message, { cause: error });
  if (error instanceof KongError)
    return new DashboardError('WG_DASHBOARD_UPSTREAM', error.message, { cause: error });
  return error;
}
