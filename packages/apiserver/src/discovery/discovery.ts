import { createHash } from 'node:crypto';
import { answerBytes, answerJson, answerNoPage } from '../http/answer.ts';
import type { Exchange } from '../http/exchange.ts';
import { type MediaType, negotiate, parseAccept } from '../http/negotiation.ts';
import type { Registry } from '../resources/registry.ts';
import { type Resource, storageVersionHash } from '../resources/resource.ts';
import { ApiError, resourceNotFound } from '../status/api-error.ts';

const serverAddress = { clientCIDR: '0.0.0.0/0' };

/** The documents that tell clients what is served. */
export class Discovery {
  readonly #registry: Registry;
  readonly #address: () => string;

  constructor(registry: Registry, address: () => string) {
    this.#registry = registry;
    this.#address = address;
  }

  /** Answers a path under /api or /apis that names no resource; false when it is not one. */
  handle(exchange: Exchange): boolean {
    const segments = exchange.info.path.split('/').filter((segment) => segment !== '');
    if (segments[0] === 'api') {
      if (segments.length === 1) this.#answerRoot(exchange, '/api', () => this.#coreVersions());
      else if (segments.length === 2) this.#answerVersion(exchange, '', segments[1] as string);
      else return false;
      return true;
    }
    if (segments[0] !== 'apis') return false;
    const [, group, version] = segments;
    if (group === undefined) this.#answerRoot(exchange, '/apis', () => this.#groupList());
    else if (version === undefined) this.#answerGroup(exchange, group);
    else if (segments.length === 3) this.#answerVersion(exchange, group, version);
    else return false;
    return true;
  }

  #answerRoot(exchange: Exchange, path: '/api' | '/apis', legacy: () => unknown): void {
    const accept = parseAccept(exchange.header('accept'));
    const aggregated = accept.find(
      ({ type, parameters }) =>
        type === 'application/json' &&
        parameters.as === 'APIGroupDiscoveryList' &&
        parameters.g === 'apidiscovery.k8s.io' &&
        parameters.v === 'v2',
    );
    if (aggregated !== undefined) {
      const text = `${JSON.stringify(this.#aggregated(path))}\n`;
      const etag = `"${createHash('sha512').update(text).digest('hex').toUpperCase()}"`;
      const headers = {
        'Cache-Control': 'public',
        'Content-Type': 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
        Etag: etag,
        Vary: 'Accept',
      };
      if (exchange.header('if-none-match') === etag) {
        exchange.response.writeHead(304, headers).end();
        return;
      }
      answerBytes(exchange, 200, Buffer.from(text), headers);
      return;
    }
    const mediaType = plainMediaType(accept);
    answerJson(exchange, 200, legacy(), mediaType);
  }

  #answerGroup(exchange: Exchange, group: string): void {
    const description = this.#group(group);
    if (description === undefined) {
      answerNoPage(exchange);
      return;
    }
    const mediaType = plainMediaType(parseAccept(exchange.header('accept')));
    answerJson(exchange, 200, { kind: 'APIGroup', apiVersion: 'v1', ...description }, mediaType);
  }

  #answerVersion(exchange: Exchange, group: string, version: string): void {
    const resources = this.#registry.ofVersion(group, version);
    if (resources.length === 0) {
      if (this.#registry.isBuiltinGroup(group)) throw resourceNotFound();
      answerNoPage(exchange);
      return;
    }
    const mediaType = plainMediaType(parseAccept(exchange.header('accept')));
    const list = {
      kind: 'APIResourceList',
      ...(group === '' ? {} : { apiVersion: 'v1' }),
      groupVersion: group === '' ? version : `${group}/${version}`,
      resources: resourceEntries(resources),
    };
    answerJson(exchange, 200, list, mediaType);
  }

  #coreVersions() {
    return {
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [{ ...serverAddress, serverAddress: this.#address() }],
    };
  }

  #groupList() {
    return {
      kind: 'APIGroupList',
      apiVersion: 'v1',
      groups: this.#registry.groups().map((group) => this.#group(group)),
    };
  }

  #group(group: string) {
    const versions = this.#registry
      .versions(group)
      .map((version) => ({ groupVersion: `${group}/${version}`, version }));
    if (versions.length === 0) return undefined;
    return { name: group, versions, preferredVersion: versions[0] };
  }

  #aggregated(path: '/api' | '/apis') {
    const groups = path === '/api' ? [''] : this.#registry.groups();
    return {
      kind: 'APIGroupDiscoveryList',
      apiVersion: 'apidiscovery.k8s.io/v2',
      metadata: {},
      items: groups.map((group) => ({
        metadata: group === '' ? {} : { name: group },
        versions: this.#registry.versions(group).map((version) => ({
          version,
          resources: this.#registry
            .ofVersion(group, version)
            .sort(byPlural)
            .map(aggregatedResource),
          freshness: 'Current',
        })),
      })),
    };
  }
}

function byPlural(a: Resource, b: Resource): number {
  return a.plural < b.plural ? -1 : 1;
}

function aggregatedResource(resource: Resource) {
  const subresources = [...resource.subresources.values()].sort((a, b) =>
    a.name < b.name ? -1 : 1,
  );
  return {
    resource: resource.plural,
    responseKind: kindOf(resource, resource.kind),
    scope: resource.isNamespaced ? 'Namespaced' : 'Cluster',
    singularResource: resource.singular,
    verbs: resource.verbs,
    ...(resource.shortNames.length === 0 ? {} : { shortNames: resource.shortNames }),
    ...(resource.categories.length === 0 ? {} : { categories: resource.categories }),
    ...(subresources.length === 0
      ? {}
      : {
          subresources: subresources.map((each) => ({
            subresource: each.name,
            responseKind:
              each.group === undefined
                ? kindOf(resource, each.kind)
                : { group: each.group, version: each.version, kind: each.kind },
            verbs: each.verbs,
          })),
        }),
  };
}

/** Built-in groups leave it to the reader that the kind is of the group at hand. */
function kindOf(resource: Resource, kind: string) {
  return resource.isCustom
    ? { group: resource.group, version: resource.version, kind }
    : { group: '', version: '', kind };
}

function resourceEntries(resources: Resource[]): unknown[] {
  return resources.sort(byPlural).flatMap((resource) => [
    {
      name: resource.plural,
      singularName: resource.singular,
      namespaced: resource.isNamespaced,
      kind: resource.kind,
      verbs: resource.verbs,
      ...(resource.shortNames.length === 0 ? {} : { shortNames: resource.shortNames }),
      ...(resource.categories.length === 0 ? {} : { categories: resource.categories }),
      ...(resource.verbs.includes('watch')
        ? {
            storageVersionHash: storageVersionHash(
              resource.collection === 'events' ? '' : resource.group,
              resource.collection === 'events' ? 'v1' : resource.storageVersion,
              resource.kind,
            ),
          }
        : {}),
    },
    ...[...resource.subresources.values()]
      .sort((a, b) => (resource.isCustom ? 0 : a.name < b.name ? -1 : 1))
      .map((each) => ({
        name: `${resource.plural}/${each.name}`,
        singularName: '',
        namespaced: resource.isNamespaced,
        ...(each.group === undefined ? {} : { group: each.group, version: each.version }),
        kind: each.kind,
        verbs: each.verbs,
      })),
  ]);
}

/** What is told of groups and versions has no other views: clauses that ask for one are passed over. */
function plainMediaType(accept: ReturnType<typeof parseAccept>): MediaType {
  const plain = accept.filter((clause) => clause.parameters.as === undefined);
  if (plain.length > 0)
    return negotiate(plain.map((clause) => clause.type).join(','), false).mediaType;
  throw new ApiError(
    406,
    'NotAcceptable',
    'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
  );
}
