import type { Core } from '../core/core.ts';
import { writeHead } from '../http/answer.ts';
import type { Exchange } from '../http/exchange.ts';
import { isTrue } from '../http/request-info.ts';

const verbNames: Readonly<Record<string, string>> = {
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETECOLLECTION',
  get: 'GET',
  list: 'LIST',
  watch: 'WATCH',
};

/** What the server counts of itself, by the names that a kube-apiserver has for it. */
export class ServerMetrics {
  readonly #core: Core;
  readonly #requests = new Map<string, number>();
  #inFlight = 0;
  #watches = 0;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Counts a request when it begins, and once more by its code when it has ended. */
  observe(exchange: Exchange): void {
    const isWatch = exchange.info.verb === 'watch';
    if (isWatch) this.#watches++;
    else this.#inFlight++;
    exchange.response.once('close', () => {
      if (isWatch) this.#watches--;
      else this.#inFlight--;
      const labels = this.#labels(exchange);
      this.#requests.set(labels, (this.#requests.get(labels) ?? 0) + 1);
    });
  }

  /** GET /metrics, in the text format of Prometheus. */
  readonly handle = (exchange: Exchange): boolean => {
    if (exchange.info.path !== '/metrics' || exchange.request.method !== 'GET') return false;
    const text = Buffer.from(this.#text());
    writeHead(exchange, 200, {
      'Content-Type': 'text/plain; version=0.0.4; charset=utf-8',
      'Content-Length': String(text.length),
    });
    exchange.response.end(text);
    return true;
  };

  /** Only names that the server knows become labels: a stranger's path is not one. */
  #labels({ info, response, query }: Exchange): string {
    const { group, version, resource, subresource, verb } = info;
    const known = this.#core.registry.find(group, version, resource);
    const isKnown =
      known !== undefined && (subresource === '' || known.subresources.has(subresource));
    const scope = !isKnown
      ? ''
      : info.name !== ''
        ? 'resource'
        : info.namespace === ''
          ? 'cluster'
          : 'namespace';
    const pairs: [string, string][] = [
      ['code', String(response.statusCode)],
      ['component', 'apiserver'],
      ['dry_run', isTrue(query.get('dryRun')) || query.get('dryRun') === 'All' ? 'All' : ''],
      ['group', isKnown ? group : ''],
      ['resource', isKnown ? resource : ''],
      ['scope', scope],
      ['subresource', isKnown ? subresource : ''],
      ['verb', verbNames[verb] ?? (verb === 'head' ? 'GET' : 'OTHER')],
      ['version', isKnown ? version : ''],
    ];
    return pairs.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(',');
  }

  #text(): string {
    const { rss } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    const objects: string[] = [];
    const seen = new Set<string>();
    for (const resource of this.#core.registry.all()) {
      if (!resource.verbs.includes('list') || seen.has(resource.collection)) continue;
      seen.add(resource.collection);
      const { size } = this.#core.store.collection(resource.collection);
      const name = resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
      objects.push(`apiserver_storage_objects{resource=${JSON.stringify(name)}} ${size}`);
    }
    return [
      ...family(
        'apiserver_request_total',
        'counter',
        'Requests by verb, resource and code.',
        [...this.#requests].map(([labels, count]) => `apiserver_request_total{${labels}} ${count}`),
      ),
      ...family(
        'apiserver_current_inflight_requests',
        'gauge',
        'Requests that are being answered.',
        [`apiserver_current_inflight_requests ${this.#inFlight}`],
      ),
      ...family('apiserver_longrunning_requests', 'gauge', 'Watches that are open.', [
        `apiserver_longrunning_requests{verb="WATCH"} ${this.#watches}`,
      ]),
      ...family(
        'apiserver_storage_objects',
        'gauge',
        'Objects in the store, by kind.',
        objects.sort(),
      ),
      ...family('process_cpu_seconds_total', 'counter', 'User and system time of the process.', [
        `process_cpu_seconds_total ${(user + system) / 1e6}`,
      ]),
      ...family('process_resident_memory_bytes', 'gauge', 'Memory of the process.', [
        `process_resident_memory_bytes ${rss}`,
      ]),
      ...family('process_start_time_seconds', 'gauge', 'When the process began.', [
        `process_start_time_seconds ${Date.now() / 1000 - process.uptime()}`,
      ]),
      '',
    ].join('\n');
  }
}

function family(name: string, type: string, help: string, lines: readonly string[]): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines];
}
