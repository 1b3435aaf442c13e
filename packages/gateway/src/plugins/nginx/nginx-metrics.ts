import { plainHost } from '../../exchange/client-facts.ts';
import { headBytes } from '../../http/header-list.ts';
import type { GatewayMetrics } from '../../metrics/gateway-metrics.ts';
import { configSchema, record, texts } from '../../plugin/config-schema.ts';
import { type AnyPlugin, definePlugin } from '../../plugin/plugin.ts';
import type { RequestContext } from '../../plugin/request-context.ts';
import { isRefusedEarly, isTooLarge, sentHost } from './request-facts.ts';

interface Config {
  readonly hosts: readonly string[];
  readonly any_host: boolean;
  readonly per_host: boolean;
  readonly status_classes: boolean;
  readonly namespace: string;
  readonly ingress: string;
  readonly service: string;
  readonly path: string;
  /** The answer is that of the default backend, although nothing was asked for it. */
  readonly answers_itself: boolean;
  readonly canary: { readonly upstream: string; readonly label: string } | null;
  readonly controller_class: string;
  readonly controller_namespace: string;
  readonly controller_pod: string;
}

const text = { type: 'string', required: true, default: '', len_min: 0 };
const flag = (isOn: boolean) => ({ type: 'boolean', required: true, default: isOn });

/** Methods that are counted by their names: a client may not make labels of its own. */
const methods: ReadonlySet<string> = new Set(
  'GET HEAD POST PUT DELETE OPTIONS PATCH CONNECT TRACE PROPFIND PROPPATCH MKCOL COPY MOVE LOCK UNLOCK'.split(
    ' ',
  ),
);

/** Counts requests for `/metrics` under ingress-nginx' names and labels. */
export function nginxMetrics(metrics: GatewayMetrics): AnyPlugin {
  return definePlugin<Config>({
    name: 'nginx-metrics',
    isUnlisted: true,
    priority: 12,
    schema: configSchema({
      hosts: texts({ required: true }),
      any_host: flag(false),
      per_host: flag(true),
      status_classes: flag(false),
      namespace: text,
      ingress: text,
      service: text,
      path: text,
      answers_itself: flag(false),
      canary: record({ upstream: text, label: text }),
      controller_class: { ...text, default: 'k8s.io/ingress-nginx' },
      controller_namespace: text,
      controller_pod: text,
    }),
    log(context, config) {
      const host = hostOf(context);
      const isKnown = config.any_host || config.hosts.includes(host);
      // nginx does not count what it answers before it looks for a location.
      if (!isKnown || isRefusedEarly(context)) return;
      metrics.nginx.observe(labelsOf(context, config, host), observationOf(context, config));
    },
  });
}

/** As the client sent it, without port and last dot: what a proxy says of it does not count here. */
function hostOf(context: RequestContext): string {
  return plainHost(sentHost(context)).toLowerCase();
}

function labelsOf(context: RequestContext, config: Config, host: string) {
  const status = context.response?.status ?? 499;
  // A body that is too large is refused before it is known what it was for.
  const known = isTooLarge(context)
    ? { namespace: '', ingress: '', service: '', path: '' }
    : config;
  const { canary } = config;
  const isCanary = canary !== null && context.manner?.destination?.host === canary.upstream;
  return {
    canary: isCanary ? canary.label : '',
    controller_class: config.controller_class,
    controller_namespace: config.controller_namespace,
    controller_pod: config.controller_pod,
    ...(config.per_host && { host }),
    ingress: known.ingress,
    method: methods.has(context.method) ? context.method : 'invalid_method',
    namespace: known.namespace,
    path: known.path,
    service: known.service,
    status: config.status_classes ? `${Math.floor(status / 100)}xx` : String(status),
  };
}

function observationOf(context: RequestContext, config: Config) {
  const { timings, response } = context;
  const now = performance.now();
  const inSeconds = (from: number, to: number) => Math.max(0, to - from) / 1_000;
  const isAsked = response?.source === 'upstream' && timings.upstreamAnsweredAt > 0;
  const isOwn = config.answers_itself && response?.source === 'exit' && response.status === 404;
  const nothing = { connectSeconds: 0, headSeconds: 0, seconds: 0 };
  return {
    requestSeconds: inSeconds(timings.startedAt, now),
    requestBytes: context.requestBytes + headBytes(context.headers.raw),
    sentBytes: context.responseBytes + headBytes(response?.headers.raw ?? []),
    upstream: isAsked
      ? {
          connectSeconds: inSeconds(timings.proxiedAt, timings.upstreamConnectedAt),
          headSeconds: inSeconds(timings.proxiedAt, timings.upstreamAnsweredAt),
          seconds: inSeconds(timings.proxiedAt, now),
        }
      : isOwn
        ? nothing
        : undefined,
  };
}
