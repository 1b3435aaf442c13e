import { compareText } from '../../objects/reference.ts';
import type { Secret } from '../../objects/secret.ts';
import type { Service } from '../../objects/service.ts';
import { entryOf } from '../../store/entry-of.ts';
import type { ObjectReader } from '../../store/object-reader.ts';
import type { CertificateClaim } from '../certificates.ts';
import type { ServiceResult } from '../kong-service.ts';
import type { CaCertificateEntity } from '../kong-state.ts';
import type { ResolvedOptions } from '../options.ts';
import { type Problem, ProblemList } from '../problem.ts';
import { AnnotationReader } from './annotation-reader.ts';
import { caCertificateOf } from './ca-certificate.ts';
import { type LocationPlan, planServer } from './location-plan.ts';
import { buildLocation } from './location-service.ts';
import { parseLocation } from './location-settings.ts';
import type { ResolvedNginxOptions } from './options.ts';
import {
  anyHost,
  compareIngresses,
  type NginxBackend,
  type ParsedIngress,
} from './parsed-ingress.ts';
import { buildServer } from './server.ts';
import { certificateOf, hasTls } from './server-certificate.ts';
import { readSettings } from './settings.ts';
import { statusPlugin } from './status-page.ts';
import { buildStream, type NginxStream, readStreams } from './streams.ts';
import { UpstreamIndex } from './upstream-index.ts';

/** What a server came to. */
interface MadeServer {
  readonly plans: readonly LocationPlan[];
  readonly problems: readonly Problem[];
  readonly certificates: readonly CertificateClaim[];
}

/** What came of making a server again. */
interface ServerChange {
  /** Of Kong services that it has or had. */
  readonly names: ReadonlySet<string>;
  readonly isGone: boolean;
  /** Whether it asks, or asked, for certificates. */
  readonly hasCertificates: boolean;
}

/**
 * The Ingresses of ingress-nginx' class, host by host. Whoever translates asks for a server when
 * one of its Ingresses changed, and for a location when that or its endpoints did.
 */
export class NginxModel {
  readonly #options: ResolvedOptions;
  readonly #nginx: ResolvedNginxOptions;
  readonly #ingresses = new Map<string, ParsedIngress>();
  readonly #upstreams = new UpstreamIndex();
  /** Servers that ask whether a host has one of its own, by that host. */
  readonly #askers = new Map<string, Set<string>>();
  readonly #byHost = new Map<string, Set<string>>();
  readonly #servers = new Map<string, MadeServer>();
  readonly #plans = new Map<string, LocationPlan>();
  #streams: ReadonlyMap<string, NginxStream> = new Map();
  #streamProblems: readonly Problem[] = [];

  constructor(options: ResolvedOptions, nginx: ResolvedNginxOptions) {
    this.#options = options;
    this.#nginx = nginx;
  }

  get options(): ResolvedNginxOptions {
    return this.#nginx;
  }

  /** Notes what an Ingress asks for now. Returns the hosts whose servers are to be made again. */
  setIngress(key: string, parsed: ParsedIngress | undefined): Set<string> {
    const hosts = new Set<string>();
    const before = this.#ingresses.get(key);
    if (before !== undefined) {
      this.#collect(before, hosts);
      this.#ingresses.delete(key);
      this.#upstreams.remove(before);
      for (const host of hostsOf(before)) {
        const keys = this.#byHost.get(host);
        keys?.delete(key);
        if (keys?.size === 0) this.#byHost.delete(host);
      }
    }
    if (parsed !== undefined) {
      this.#ingresses.set(key, parsed);
      this.#upstreams.add(parsed);
      for (const host of hostsOf(parsed)) entryOf(this.#byHost, host, () => new Set()).add(key);
      this.#collect(parsed, hosts);
    }
    return hosts;
  }

  /** The servers that an Ingress has a part in: its own, and those that share something with them. */
  #collect(parsed: ParsedIngress, hosts: Set<string>): void {
    for (const host of hostsOf(parsed)) {
      hosts.add(host);
      for (const asker of this.#askers.get(host) ?? []) hosts.add(asker);
    }
    const ofHost = (host: string) => this.#ingressesOf(host);
    for (const sharer of this.#upstreams.sharers(parsed, ofHost))
      for (const host of hostsOf(sharer)) hosts.add(host);
  }

  /** Makes a server again, and says what may have changed with it. */
  makeServer(host: string, reader: ObjectReader): ServerChange {
    const before = this.#servers.get(host);
    const hadCertificates = (before?.certificates.length ?? 0) > 0;
    const names = new Set(before?.plans.map(({ name }) => name));
    for (const name of names) this.#plans.delete(name);
    const ingresses = this.#ingressesOf(host);
    if (ingresses.length === 0 && host !== anyHost) {
      this.#servers.delete(host);
      return { names, isGone: true, hasCertificates: hadCertificates };
    }
    const problems = new ProblemList();
    const server = buildServer(host, ingresses, (other) => this.#isServed(other, host));
    for (const { owner, winner, path } of server.lost) {
      const message = `host ${JSON.stringify(host)} and path ${JSON.stringify(path)} is already defined in ingress ${winner.key}`;
      problems.addConflict(message, owner.ingress);
    }
    const settings = readSettings(reader, this.#nginx.configMap);
    const none = new AnnotationReader({ metadata: {} }, '', new ProblemList());
    const plain = {
      ...parseLocation({ metadata: {} }, none, settings, reader, this.#nginx),
      plugins: [],
    };
    const own = certificateOf(server, reader, problems);
    const isFor = (name: string) => own.isFor(name) || this.#hasWildcard(name, host);
    const certificate = { ...own, isFor };
    const status = { ...plain, plugins: [statusPlugin(settings)] };
    const plans = planServer(server, { plain, status }, certificate, problems);
    for (const plan of plans) {
      this.#plans.set(plan.name, plan);
      names.add(plan.name);
    }
    const { claims: certificates } = certificate;
    this.#servers.set(host, { plans, problems: problems.items, certificates });
    const hasAuthorities = plans.some(({ settings }) => settings.proxySsl?.ca !== undefined);
    const hasCertificates = hadCertificates || certificates.length > 0 || hasAuthorities;
    return { names, isGone: false, hasCertificates };
  }

  /** Reads the ConfigMaps of streams again. Returns the Kong services that there were or are. */
  makeStreams(reader: ObjectReader): Set<string> {
    const names = new Set(this.#streams.keys());
    const { streams, problems } = readStreams(reader, this.#nginx);
    this.#streams = new Map(streams.map((stream) => [stream.name, stream]));
    this.#streamProblems = problems;
    for (const { name } of streams) names.add(name);
    return names;
  }

  /** Whether the Kong service of this name is one of a location or a stream. */
  hasService(name: string): boolean {
    return this.#plans.has(name) || this.#streams.has(name);
  }

  /** Makes the Kong services that go by the name of a location or a stream. */
  makeService(name: string, reader: ObjectReader): ServiceResult[] {
    const stream = this.#streams.get(name);
    if (stream === undefined) return this.makeLocation(name, reader);
    return buildStream(stream, reader, this.#options, this.#nginx);
  }

  /** Makes the Kong service of a location. */
  makeLocation(name: string, reader: ObjectReader): ServiceResult[] {
    const plan = this.#plans.get(name);
    if (plan === undefined) throw new Error(`there is no location ${name}`);
    return buildLocation(plan, {
      reader,
      options: this.#options,
      nginx: this.#nginx,
      defaultBackend: this.#defaultBackend(reader),
      policyOf: (backend) => this.#upstreams.policyOf(backend),
    });
  }

  /** What the locations of a server came to, in their order. */
  locationsOf(
    host: string,
    reader: ObjectReader,
  ): { readonly plan: LocationPlan; readonly result: ServiceResult }[] {
    return (this.#servers.get(host)?.plans ?? []).flatMap((plan) => {
      const [result] = this.makeLocation(plan.name, reader);
      return result === undefined ? [] : [{ plan, result }];
    });
  }

  /** The authorities that backends are checked against. */
  caCertificates(): CaCertificateEntity[] {
    const byId = new Map<string, CaCertificateEntity>();
    for (const { settings } of this.#plans.values()) {
      const { ca, isVerified } = settings.proxySsl ?? {};
      if (!isVerified || ca === undefined) continue;
      const entity = caCertificateOf(ca);
      byId.set(entity.id, entity);
    }
    return [...byId.values()].sort((left, right) => compareText(left.id, right.id));
  }

  /** Whether there is something to say on a server, or without a host on the streams. */
  hasProblems(host?: string): boolean {
    const problems = host === undefined ? this.#streamProblems : this.#servers.get(host)?.problems;
    return problems !== undefined && problems.length > 0;
  }

  problems(): Problem[] {
    const ofServers = [...this.#servers.keys()]
      .sort()
      .flatMap((host) => [...(this.#servers.get(host)?.problems ?? [])]);
    return [...ofServers, ...this.#streamProblems];
  }

  /** What certificates are wanted for; `*` stands for all names without one. */
  certificates(reader: ObjectReader): CertificateClaim[] {
    const [namespace = '', secretName = ''] = (this.#nginx.defaultCertificate ?? '').split('/');
    const parent = secretName && reader.get<Secret>('Secret', namespace, secretName);
    const claims = parent ? [{ namespace, secretName, hosts: ['*'], parent }] : [];
    const ofServers = [...this.#servers.keys()]
      .sort()
      .flatMap((host) => [...(this.#servers.get(host)?.certificates ?? [])]);
    return [...claims, ...ofServers];
  }

  #ingressesOf(host: string): ParsedIngress[] {
    return [...(this.#byHost.get(host) ?? [])]
      .flatMap((key) => this.#ingresses.get(key) ?? [])
      .filter(({ location }) => location.canary === undefined)
      .sort(compareIngresses);
  }

  /** Whether a host has a server; whoever asks is told when that changes. */
  #isServed(host: string, asker: string): boolean {
    entryOf(this.#askers, host, () => new Set()).add(asker);
    return this.#ingressesOf(host).length > 0;
  }

  /** A name without a certificate of its own is shown that of the server for all names beside it. */
  #hasWildcard(name: string, asker: string): boolean {
    const wildcard = name.replace(/^[^.]+(?=\.)/, '*');
    if (wildcard === name || name.startsWith('~')) return false;
    entryOf(this.#askers, wildcard, () => new Set()).add(asker);
    return this.#ingressesOf(wildcard).some(({ ingress }) => hasTls(ingress));
  }

  /** The Service of the flag, at the first of its ports. */
  #defaultBackend(reader: ObjectReader): NginxBackend | undefined {
    const [namespace = '', service = ''] = (this.#nginx.defaultBackendService ?? '').split('/');
    if (service === '') return undefined;
    const object = reader.get<Service>('Service', namespace, service);
    const port = object?.spec?.ports?.[0]?.port;
    return { namespace, service, port: String(port ?? '') };
  }
}

function hostsOf(parsed: ParsedIngress | undefined): string[] {
  if (parsed === undefined) return [];
  return parsed.isCatchAll ? [anyHost] : [...parsed.hosts.keys()];
}
