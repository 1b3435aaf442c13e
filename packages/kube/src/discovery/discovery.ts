import { apiVersionOf } from '@waygate/schema';
import { isObject } from '@waygate/text';
import type { CallOptions } from '../list-options.ts';
import { callJson } from '../transport/json-call.ts';
import type { Transport } from '../transport/transport.ts';
import { readAggregated } from './aggregated-discovery.ts';
import type {
  ApiGroup,
  ApiResource,
  ApiSubresource,
  ApiSurface,
  ServerVersion,
} from './api-resource.ts';

const aggregatedAccept = [
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList',
  'application/json',
].join(',');

/** How many groups are asked at once on servers that do not aggregate. */
const concurrency = 8;

interface LegacyResource {
  readonly name: string;
  readonly singularName?: string;
  readonly namespaced?: boolean;
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/**
 * Asks an API what it serves: in two requests where it aggregates (1.26 and later), else in many.
 *
 * ```ts
 * const { gitVersion } = await client.discovery.serverVersion();
 * const { resources } = await client.discovery.surface();
 * ```
 */
export class Discovery {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async serverVersion(call: CallOptions = {}): Promise<ServerVersion> {
    return callJson<ServerVersion>(this.#transport, { method: 'GET', path: '/version' }, call);
  }

  /** Everything that is served. One group that does not answer is no error: see `failures`. */
  async surface(call: CallOptions = {}): Promise<ApiSurface> {
    const [core, others] = await Promise.all([
      this.#get('/api', call, aggregatedAccept),
      this.#get('/apis', call, aggregatedAccept),
    ]);
    const groups: ApiGroup[] = [];
    const resources: ApiResource[] = [];
    const failures = new Map<string, unknown>();
    const announced: ApiGroup[] = [];
    for (const answer of [core, others]) {
      if (answer.kind === 'APIGroupDiscoveryList') {
        const read = readAggregated(answer);
        groups.push(...read.groups);
        resources.push(...read.resources);
        for (const [version, failure] of read.failures) failures.set(version, failure);
      } else announced.push(...groupsOf(answer));
    }
    for (const { resources: found, failures: failed } of await this.#legacy(announced, call)) {
      resources.push(...found);
      for (const [version, failure] of failed) failures.set(version, failure);
    }
    return { groups: [...groups, ...announced], resources, failures };
  }

  async #legacy(
    groups: readonly ApiGroup[],
    call: CallOptions,
  ): Promise<Pick<ApiSurface, 'resources' | 'failures'>[]> {
    const wanted = groups.flatMap(({ name, versions }) =>
      versions.map((version) => ({ group: name, version })),
    );
    const results: Pick<ApiSurface, 'resources' | 'failures'>[] = new Array(wanted.length);
    let next = 0;
    const work = async () => {
      for (let at = next++; at < wanted.length; at = next++) {
        const { group, version } = wanted[at] as (typeof wanted)[0];
        results[at] = await this.#groupVersion(group, version, call);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, work));
    return results;
  }

  async #groupVersion(
    group: string,
    version: string,
    call: CallOptions,
  ): Promise<Pick<ApiSurface, 'resources' | 'failures'>> {
    const apiVersion = apiVersionOf(group, version);
    try {
      const answer = await this.#get(`${group === '' ? '/api' : '/apis'}/${apiVersion}`, call);
      const list = Array.isArray(answer.resources) ? (answer.resources as LegacyResource[]) : [];
      return { resources: resourcesOf(list, group, version), failures: new Map() };
    } catch (error) {
      if (call.signal?.aborted === true) throw error;
      return { resources: [], failures: new Map([[apiVersion, error]]) };
    }
  }

  async #get(path: string, call: CallOptions, accept?: string): Promise<Record<string, unknown>> {
    const headers = accept === undefined ? {} : { accept };
    const answer = await callJson<unknown>(this.#transport, { method: 'GET', path, headers }, call);
    return isObject(answer) ? answer : {};
  }
}

/** The groups in an `APIVersions` (core) or an `APIGroupList`. */
function groupsOf(answer: Record<string, unknown>): ApiGroup[] {
  if (Array.isArray(answer.versions)) return [{ name: '', versions: answer.versions as string[] }];
  if (!Array.isArray(answer.groups)) return [];
  return answer.groups.map((group: Record<string, unknown>) => {
    const versions = (group.versions as { version: string }[]).map(({ version }) => version);
    const preferred = (group.preferredVersion as { version: string } | undefined)?.version;
    const order =
      preferred === undefined
        ? versions
        : [preferred, ...versions.filter((version) => version !== preferred)];
    return { name: String(group.name), versions: order };
  });
}

function resourcesOf(
  list: readonly LegacyResource[],
  group: string,
  version: string,
): ApiResource[] {
  const subresources = new Map<string, ApiSubresource[]>();
  for (const one of list) {
    const slash = one.name.indexOf('/');
    if (slash < 0) continue;
    const parent = one.name.slice(0, slash);
    const known = subresources.get(parent) ?? [];
    subresources.set(parent, known);
    known.push({
      name: one.name.slice(slash + 1),
      group: one.group ?? group,
      version: one.version ?? version,
      kind: one.kind,
      verbs: one.verbs ?? [],
    });
  }
  return list
    .filter((one) => !one.name.includes('/'))
    .map((one) => ({
      group,
      version,
      kind: one.kind,
      plural: one.name,
      scope: one.namespaced === true ? 'Namespaced' : 'Cluster',
      singular: one.singularName || one.kind.toLowerCase(),
      shortNames: one.shortNames ?? [],
      categories: one.categories ?? [],
      verbs: one.verbs ?? [],
      subresources: subresources.get(one.name) ?? [],
    }));
}
