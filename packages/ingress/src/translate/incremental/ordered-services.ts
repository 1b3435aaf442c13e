import { entryOf } from '../../store/entry-of.ts';
import type { ServiceResult } from '../kong-service.ts';
import type { ServiceEntity, UpstreamEntity } from '../kong-state.ts';
import { SortedNames } from './sorted-names.ts';

/** Which certificate stands for a Secret; it may have been merged into that of another one. */
type CertificateIds = ReadonlyMap<string, string> | undefined;

interface ServiceLists {
  readonly services: ServiceEntity[];
  readonly upstreams: UpstreamEntity[];
}

/**
 * The services and upstreams of a configuration in their order, kept so while single ones change:
 * nothing is sorted or made anew for the others, which stay the very same objects.
 */
export class OrderedServices {
  readonly #results: ReadonlyMap<string, readonly ServiceResult[]>;
  readonly #names = new SortedNames();
  readonly #upstreamNames = new SortedNames();
  /** Names of services by the upstream that they ask for. Of several, the first in order says how. */
  readonly #askers = new Map<string, Set<string>>();
  readonly #upstreams = new Map<string, UpstreamEntity>();
  readonly #certified = new WeakMap<ServiceEntity, ServiceEntity>();
  #lists: { readonly ids: CertificateIds; readonly lists: ServiceLists } | undefined;

  /** `results` is by name, and is read again after {@link changed}. */
  constructor(results: ReadonlyMap<string, readonly ServiceResult[]>) {
    this.#results = results;
  }

  /** In order; valid until the next change. */
  names(): readonly string[] {
    return this.#names.values();
  }

  /** Notes that a name has other results now than `before`. */
  changed(name: string, before: readonly ServiceResult[]): void {
    this.#lists = undefined;
    const after = this.#results.get(name);
    if (after === undefined) this.#names.delete(name);
    else this.#names.add(name);
    const hosts = new Set<string>();
    for (const { upstream } of before) {
      if (upstream === undefined) continue;
      hosts.add(upstream.name);
      this.#askers.get(upstream.name)?.delete(name);
    }
    for (const { upstream } of after ?? []) {
      if (upstream === undefined) continue;
      hosts.add(upstream.name);
      entryOf(this.#askers, upstream.name, () => new Set()).add(name);
    }
    for (const host of hosts) this.#chooseUpstream(host);
  }

  lists(ids: CertificateIds): ServiceLists {
    if (this.#lists !== undefined && this.#lists.ids === ids) return this.#lists.lists;
    const services: ServiceEntity[] = [];
    for (const name of this.#names.values()) {
      for (const { service } of this.#results.get(name)!)
        if (service !== undefined) services.push(this.#withCertificate(service, ids));
    }
    const upstreams = this.#upstreamNames.values().map((name) => this.#upstreams.get(name)!);
    const lists = { services, upstreams };
    this.#lists = { ids, lists };
    return lists;
  }

  #chooseUpstream(host: string): void {
    const askers = this.#askers.get(host);
    let first: string | undefined;
    for (const name of askers ?? []) if (first === undefined || name < first) first = name;
    if (first === undefined) {
      this.#askers.delete(host);
      this.#upstreams.delete(host);
      this.#upstreamNames.delete(host);
      return;
    }
    const chosen = this.#results.get(first)!.find(({ upstream }) => upstream?.name === host);
    this.#upstreams.set(host, chosen!.upstream!);
    this.#upstreamNames.add(host);
  }

  #withCertificate(service: ServiceEntity, ids: CertificateIds): ServiceEntity {
    if (service.client_certificate === undefined) return service;
    const id = ids?.get(service.client_certificate);
    if (id === service.client_certificate) return service;
    const known = this.#certified.get(service);
    if (known !== undefined && known.client_certificate === id) return known;
    const { client_certificate, ...rest } = service;
    const certified = id === undefined ? rest : { ...rest, client_certificate: id };
    this.#certified.set(service, certified);
    return certified;
  }
}
