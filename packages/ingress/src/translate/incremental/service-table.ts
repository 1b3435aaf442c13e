import type { CertificateClaim } from '../certificates.ts';
import type { ServiceResult } from '../kong-service.ts';
import { OrderedServices } from './ordered-services.ts';

/** The Kong services that were made, by name, and who shares what with whom. */
export class ServiceTable {
  readonly results = new Map<string, readonly ServiceResult[]>();
  readonly ordered = new OrderedServices(this.results);
  readonly #serviceOfRoute = new Map<string, string>();
  /** How many Kong services have this host, and so this upstream. */
  readonly #hosts = new Map<string, number>();
  /** Services that ask for client certificates: few, so that certificates need not look at all. */
  readonly #withClientCertificates = new Set<string>();

  named(name: string): readonly ServiceResult[] {
    return this.results.get(name) ?? [];
  }

  isHostShared(host: string): boolean {
    return (this.#hosts.get(host) ?? 0) > 1;
  }

  serviceOfRoute(route: string): string | undefined {
    return this.#serviceOfRoute.get(route);
  }

  /** Replaces what a name stands for; says whether its client certificates are others now. */
  set(name: string, results: readonly ServiceResult[]): boolean {
    const before = this.named(name);
    if (results.length === 0) this.results.delete(name);
    else this.results.set(name, results);
    this.ordered.changed(name, before);
    for (const { upstream, service } of before) {
      this.#countHost(upstream?.name, -1);
      for (const route of service?.routes ?? []) this.#serviceOfRoute.delete(route.name);
    }
    for (const { upstream, service } of results) {
      this.#countHost(upstream?.name, 1);
      for (const route of service?.routes ?? [])
        this.#serviceOfRoute.set(route.name, service!.name);
    }
    const secrets = secretsOf(results);
    const former = secretsOf(before);
    if (secrets.length > 0) this.#withClientCertificates.add(name);
    else if (former.length > 0) this.#withClientCertificates.delete(name);
    return secrets.length !== former.length || secrets.some((one, index) => one !== former[index]);
  }

  /** The certificates that services show to their backends. */
  clientCertificateClaims(): CertificateClaim[] {
    return [...this.#withClientCertificates].sort().flatMap((name) =>
      this.named(name).flatMap(({ clientCertificates }) =>
        clientCertificates.map(({ secret, service }) => ({
          namespace: secret.metadata.namespace ?? '',
          secretName: secret.metadata.name ?? '',
          hosts: [],
          parent: service,
        })),
      ),
    );
  }

  #countHost(host: string | undefined, step: 1 | -1): void {
    if (host === undefined) return;
    const count = (this.#hosts.get(host) ?? 0) + step;
    if (count > 0) this.#hosts.set(host, count);
    else this.#hosts.delete(host);
  }
}

function secretsOf(results: readonly ServiceResult[]) {
  return results.flatMap(({ clientCertificates }) =>
    clientCertificates.map(({ secret }) => secret),
  );
}
