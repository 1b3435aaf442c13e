import { X509Certificate } from 'node:crypto';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Push } from '../sync/gateway-sync.ts';
import type { PassReport } from '../sync/pass-report.ts';
import type { CertificateEntity } from '../translate/kong-state.ts';
import type { ResolvedNginxOptions } from '../translate/nginx/options.ts';
import { objectFromTags } from '../translate/tags.ts';

const prefix = 'nginx_ingress_controller_';
const common = ['controller_class', 'controller_namespace', 'controller_pod'] as const;
const ofCertificate = ['class', 'host', 'identifier', 'namespace', 'secret_name'] as const;
const ofIssuer = [
  'issuer_common_name',
  'issuer_organization',
  'public_key_algorithm',
  'serial_number',
] as const;

type Options = Pick<ResolvedNginxOptions, 'controllerClass' | 'metrics'>;

/** A certificate that a host is served with. */
export interface CertificateRow {
  readonly labels: Readonly<Record<(typeof ofCertificate)[number], string>>;
  readonly issuer: Readonly<Record<(typeof ofIssuer)[number], string>>;
  /** Seconds since the epoch. */
  readonly expiresAt: number;
}

/** An Ingress of ingress-nginx' class, and what its paths lead to. */
export interface OrphanRow {
  readonly namespace: string;
  readonly ingress: string;
  /** Some Service of it is not there. */
  readonly lacksService: boolean;
  /** Some Service of it has no endpoint. */
  readonly lacksEndpoint: boolean;
}

/** What is looked at only when somebody asks for the metrics. */
interface NginxMetricSources {
  readonly orphans: () => readonly OrphanRow[];
  readonly isLeader: () => boolean;
  /** The name of the Lease; undefined without an election. */
  readonly lease: string | undefined;
}

/**
 * What ingress-nginx says of itself, under its names: whether its configuration is in force, certificates,
 * Ingresses that lead nowhere, who leads, and what the webhook did.
 */
export class NginxControllerMetrics {
  readonly #options: Options;
  readonly #common: Readonly<Record<(typeof common)[number], string>>;
  readonly #isGood;
  readonly #goodSince;
  readonly #pushed;
  readonly #failed;
  readonly #expires;
  readonly #info;
  readonly #checked;
  readonly #refused;
  readonly #tested;
  readonly #testSeconds;
  readonly #roundTripSeconds;

  constructor(registry: Registry, options: Options, sources?: NginxMetricSources) {
    this.#options = options;
    this.#common = {
      controller_class: options.controllerClass,
      controller_namespace: options.metrics?.namespace ?? '',
      controller_pod: options.metrics?.pod ?? '',
    };
    const gauge = (name: string, help: string, labelNames: readonly string[] = common) =>
      new Gauge({ registers: [registry], name: `${prefix}${name}`, help, labelNames });
    const counter = (name: string, help: string) =>
      new Counter({ registers: [registry], name: `${prefix}${name}`, help, labelNames: common });
    this.#isGood = gauge(
      'config_last_reload_successful',
      'Whether the last configuration came into force.',
    );
    this.#goodSince = gauge(
      'config_last_reload_successful_timestamp_seconds',
      'Time of the last configuration that came into force, in seconds since the epoch.',
    );
    this.#pushed = counter('success', 'Configurations that came into force.');
    this.#failed = counter('errors', 'Configurations that were refused.');
    this.#expires = gauge(
      'ssl_expire_time_seconds',
      'When a certificate ends, in seconds since the epoch.',
      ofCertificate,
    );
    this.#info = gauge('ssl_certificate_info', 'All labels of a certificate, with the value 1.', [
      ...ofCertificate,
      ...ofIssuer,
    ]);
    const perIngress = [...common, 'namespace', 'ingress'];
    const checks = (name: string, help: string) =>
      new Counter({
        registers: [registry],
        name: `${prefix}${name}`,
        help,
        labelNames: perIngress,
      });
    this.#checked = checks('check_success', 'Ingresses that the webhook let pass.');
    this.#refused = checks('check_errors', 'Ingresses that the webhook refused.');
    this.#tested = gauge(
      'admission_tested_ingresses',
      'Ingresses that the webhook looked at last.',
    );
    this.#testSeconds = gauge('admission_tested_duration', 'How long it looked, in seconds.');
    this.#roundTripSeconds = gauge(
      'admission_roundtrip_duration',
      'How long the last answer of the webhook took, in seconds.',
    );
    if (sources !== undefined) this.#watch(registry, sources);
  }

  /** Counts what the webhook said on an Ingress. */
  checked(namespace: string, ingress: string, isAllowed: boolean, durationMs: number): void {
    const labels = { ...this.#common, namespace, ingress };
    (isAllowed ? this.#checked : this.#refused).inc(labels);
    this.#tested.set(this.#common, 1);
    this.#testSeconds.set(this.#common, durationMs / 1_000);
    this.#roundTripSeconds.set(this.#common, durationMs / 1_000);
  }

  #watch(registry: Registry, { orphans, isLeader, lease }: NginxMetricSources): void {
    const own = this.#common;
    new Gauge({
      registers: [registry],
      name: `${prefix}orphan_ingress`,
      help: 'Whether an Ingress leads to a Service that is not there, or has no endpoint.',
      labelNames: [...common, 'namespace', 'ingress', 'type'],
      collect() {
        this.reset();
        for (const { namespace, ingress, lacksService, lacksEndpoint } of orphans()) {
          const labels = { ...own, namespace, ingress };
          this.set({ ...labels, type: 'no-service' }, lacksService ? 1 : 0);
          this.set({ ...labels, type: 'no-endpoint' }, lacksEndpoint ? 1 : 0);
        }
      },
    });
    if (lease === undefined) return;
    new Gauge({
      registers: [registry],
      name: `${prefix}leader_election_status`,
      help: 'Whether this replica leads.',
      labelNames: [...common, 'name'],
      collect() {
        this.set({ ...own, name: lease }, isLeader() ? 1 : 0);
      },
    });
  }

  /** Counts what one gateway was sent. */
  push({ error }: Push, nowMs: number): void {
    const isGood = error === undefined;
    (isGood ? this.#pushed : this.#failed).inc(this.#common);
    this.#isGood.set(this.#common, isGood ? 1 : 0);
    if (isGood) this.#goodSince.set(this.#common, Math.floor(nowMs / 1000));
  }

  /** Says which certificates there are, when a pass looked at everything, and forgets what went. */
  pass({ snapshot, removed = [] }: Partial<PassReport>): void {
    for (const { kind, metadata } of removed) {
      if (kind !== 'Ingress') continue;
      const labels = {
        ...this.#common,
        namespace: metadata.namespace ?? '',
        ingress: metadata.name,
      };
      this.#checked.remove(labels);
      this.#refused.remove(labels);
    }
    if (snapshot === undefined) return;
    this.#expires.reset();
    this.#info.reset();
    for (const row of certificateRows(snapshot.state.certificates, this.#options)) {
      const { labels, issuer, expiresAt } = row;
      this.#expires.set(labels, expiresAt);
      this.#info.set({ ...labels, ...issuer }, 1);
    }
  }
}

/**
 * The hosts that have a certificate of a Secret, in the words of ingress-nginx.
 *
 * ```ts
 * const { cert, key } = await nginxFallbackCertificate();
 * const tags = ['k8s-name:shop-tls', 'k8s-namespace:shop', 'k8s-kind:Secret', 'k8s-version:v1'];
 * const certificate = { id: 'a', cert, key, snis: [{ name: 'shop.test' }], tags };
 * const [row] = certificateRows([certificate], { controllerClass: 'k8s.io/ingress-nginx' });
 * [row?.labels.host, row?.labels.secret_name]; // ['shop.test', 'shop-tls']
 * ```
 */
export function certificateRows(
  certificates: readonly CertificateEntity[],
  { controllerClass }: Pick<Options, 'controllerClass'>,
): CertificateRow[] {
  return certificates.flatMap(({ cert, snis, tags }) => {
    const secret = objectFromTags(tags);
    if (secret === undefined) return [];
    const { validTo, serialNumber, issuer, publicKey } = new X509Certificate(cert);
    const serial = BigInt(`0x${serialNumber}`).toString();
    const field = (name: string) =>
      issuer
        .split('\n')
        .find((line) => line.startsWith(`${name}=`))
        ?.slice(name.length + 1) ?? '';
    const labels = {
      class: controllerClass,
      identifier: `-${serial}`,
      namespace: secret.namespace,
      secret_name: secret.name,
    };
    const ofIssuer = {
      issuer_common_name: field('CN'),
      issuer_organization: field('O'),
      public_key_algorithm: algorithms[publicKey.asymmetricKeyType ?? ''] ?? '',
      serial_number: serial,
    };
    return (snis ?? [])
      .filter(({ name }) => name !== '*')
      .map(({ name: host }) => ({
        labels: { ...labels, host },
        issuer: ofIssuer,
        expiresAt: Math.floor(Date.parse(validTo) / 1000),
      }));
  });
}

/** By the names that Go has for them. */
const algorithms: Readonly<Record<string, string>> = {
  rsa: 'RSA',
  ec: 'ECDSA',
  ed25519: 'Ed25519',
  dsa: 'DSA',
};
