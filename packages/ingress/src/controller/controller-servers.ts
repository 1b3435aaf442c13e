import { createHash } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { AdminClient } from '@waygate/kong';
import type { ListenAddress } from '@waygate/passthrough';
import type { Clock, HttpListener } from '@waygate/runtime';
import { AdmissionServer, type AdmissionServerOptions } from '../admission/admission-server.ts';
import { gatewayValidator, schemaValidator } from '../admission/entity-validator.ts';
import { validateObject } from '../admission/object-validator.ts';
import { WebhookCertificateKeeper } from '../admission/webhook-certificate-keeper.ts';
import type { Ingress } from '../objects/ingress.ts';
import type { ObjectName } from '../objects/object-id.ts';
import { PassthroughRunner } from '../passthrough/passthrough-runner.ts';
import { TrackingReader } from '../store/tracking-reader.ts';
import type { PassReport } from '../sync/pass-report.ts';
import { toDeclarativeConfig } from '../translate/declarative-config.ts';
import type { KongState } from '../translate/kong-state.ts';
import { isNginxIngress } from '../translate/nginx/class-of.ts';
import { type NginxOptions, resolveNginxOptions } from '../translate/nginx/options.ts';
import type { Problem } from '../translate/problem.ts';
import { type ConfigurationLoop, mostFetchRounds } from './configuration-loop.ts';
import type { IngressControllerOptions } from './controller-options.ts';
import { maskedDocument } from './diagnostics.ts';
import { type DiagnosticPages, diagnosticsServer } from './diagnostics-server.ts';
import type { DiffReport } from './diff-report.ts';
import type { GatewayFacts } from './gateway-facts.ts';
import { StreamPorts } from './stream-ports.ts';

/** An API server waits for a webhook for ten seconds by default. */
const longestFetchMs = 5_000;

interface ControllerServersOptions {
  readonly options: IngressControllerOptions;
  readonly facts: GatewayFacts;
  readonly loop: ConfigurationLoop;
  /** A gateway to ask, if one answers. */
  readonly admin: () => AdminClient | undefined;
  readonly clock: Clock;
  readonly diffs: DiffReport;
  readonly fetch: (names: Iterable<ObjectName>, signal: AbortSignal) => Promise<boolean>;
  readonly isLeader: () => boolean;
  /** Hears what the webhook said on an Ingress of ingress-nginx' class. */
  readonly onNginxCheck?: (
    namespace: string,
    ingress: string,
    isAllowed: boolean,
    durationMs: number,
  ) => void;
  readonly onError: (error: unknown) => void;
}

export interface ControllerAddresses {
  readonly health?: AddressInfo;
  readonly metrics?: AddressInfo;
  readonly passthrough?: ListenAddress;
  readonly diagnostics?: AddressInfo;
  readonly admission?: AddressInfo;
}

/** What listens once a gateway is known, each only when it was asked for. */
export class ControllerServers {
  readonly #passthrough: PassthroughRunner | undefined;
  readonly #streamPorts: StreamPorts | undefined;
  readonly #loop: ConfigurationLoop;
  #passthroughAddress: ListenAddress | undefined;
  readonly #diagnostics: HttpListener | undefined;
  readonly #admission: AdmissionServer | undefined;
  readonly #certificate: WebhookCertificateKeeper | undefined;
  #failed: { state: KongState | undefined; error: string; body: unknown } | undefined;

  constructor(parts: ControllerServersOptions) {
    const { options } = parts;
    this.#loop = parts.loop;
    if (options.passthrough !== undefined)
      this.#passthrough = new PassthroughRunner(options.passthrough);
    const { openStreamPorts: open } = options;
    const onOpened = () => parts.loop.requestFullPass();
    if (open !== undefined) this.#streamPorts = new StreamPorts(open, onOpened, parts.onError);
    if (options.diagnostics !== undefined)
      this.#diagnostics = diagnosticsServer(options.diagnostics, this.#pages(parts));
    if (options.admission === undefined) return;
    const { certificate, ...listen } = options.admission;
    const isOurs = typeof certificate === 'object' && 'secret' in certificate;
    if (isOurs)
      this.#certificate = new WebhookCertificateKeeper({ ...parts, ...options, ...certificate });
    const served = isOurs ? (signal?: AbortSignal) => this.#certificate!.pair(signal) : certificate;
    this.#admission = makeAdmission(parts, { ...listen, certificate: served });
  }

  get addresses(): ControllerAddresses {
    const diagnostics = this.#diagnostics?.address;
    const admission = this.#admission?.address;
    return {
      ...(this.#passthroughAddress && { passthrough: this.#passthroughAddress }),
      ...(diagnostics && { diagnostics }),
      ...(admission && { admission }),
    };
  }

  async listen(signal?: AbortSignal): Promise<void> {
    this.#passthroughAddress = await this.#passthrough?.start();
    await this.#diagnostics?.listen();
    await this.#admission?.listen(signal);
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#certificate?.run(signal), this.#admission?.run(signal)]);
  }

  async close(): Promise<void> {
    await this.#admission?.close();
    await this.#diagnostics?.close();
    await this.#passthrough?.stop();
  }

  /** Brings the TLS proxy to the cluster, and remembers a configuration that a gateway refused. */
  passed({ outcome, snapshot }: PassReport): readonly Problem[] {
    const { options } = this.#loop;
    const problems = [
      ...(this.#passthrough?.update(this.#loop, options) ?? []),
      ...(this.#streamPorts?.update(this.#loop, options) ?? []),
    ];
    this.#remember(outcome, snapshot);
    return problems;
  }

  #remember(outcome: PassReport['outcome'], snapshot: PassReport['snapshot']): void {
    if (outcome.kind !== 'rejected' && outcome.kind !== 'failed') return;
    const { body } = outcome.error as { body?: unknown };
    const state = snapshot?.state ?? this.#loop.state();
    this.#failed = { state, error: outcome.error.message, body };
  }

  #pages({ loop, diffs }: ControllerServersOptions): DiagnosticPages {
    const shown = (state: KongState) => {
      const document = toDeclarativeConfig(state, { isDbless: true });
      const hash = createHash('sha256').update(JSON.stringify(document)).digest('hex');
      return { hash, config: maskedDocument(document) };
    };
    return {
      '/debug/config/successful': () => shown(loop.state()),
      '/debug/config/failed': () => this.#failed?.state && shown(this.#failed.state),
      '/debug/config/raw-error': () =>
        this.#failed && { error: this.#failed.error, errors: explained(this.#failed.body) },
      '/debug/config/fallback': () => loop.fallbackReport(),
      '/debug/config/diff-report': (query) => diffs.show(query.get('hash') ?? undefined),
      '/debug/problems': () => ({ problems: loop.snapshot().problems }),
    };
  }
}

/** What a gateway says against entities, without the entities: they may hold secrets. */
function explained(body: unknown): unknown[] {
  const errors = (body as { flattened_errors?: unknown } | undefined)?.flattened_errors;
  if (!Array.isArray(errors)) return [];
  return errors.map(({ entity_type, entity_name, entity_tags, errors: reasons }) => ({
    entity_type,
    entity_name,
    entity_tags,
    errors: reasons,
  }));
}

function makeAdmission(
  parts: ControllerServersOptions,
  served: Pick<AdmissionServerOptions, 'certificate' | 'host' | 'port'>,
): AdmissionServer {
  const { options, facts, loop, admin, clock, onError, fetch, onNginxCheck } = parts;
  const own = schemaValidator(facts.routerFlavor);
  const entities = gatewayValidator(admin, own);
  const translate = {
    kongVersion: facts.kongVersion,
    routerFlavor: facts.routerFlavor,
    ...options.translate,
  };
  return new AdmissionServer({
    ...served,
    clock,
    onError,
    validate: async (request) => {
      const signal = AbortSignal.timeout(longestFetchMs);
      const startedMs = clock.now();
      for (let round = 1; ; round += 1) {
        const reader = new TrackingReader(loop.objects);
        const verdict = await validateObject(request, {
          reader,
          options: translate,
          ingressClass: options.translate?.ingressClass ?? 'kong',
          entities,
        });
        // What was looked for may be something that nothing else referred to so far.
        if (round === mostFetchRounds || !(await fetch(reader.misses.values(), signal))) {
          const ingress = nginxIngressOf(request.object, reader, translate.nginx);
          if (ingress !== undefined) {
            const { namespace = '', name = '' } = ingress.metadata;
            onNginxCheck?.(namespace, name, verdict.isAllowed, clock.now() - startedMs);
          }
          return verdict;
        }
      }
    },
  });
}

/** The object under review, if it is an Ingress of ingress-nginx' class. */
function nginxIngressOf(
  object: unknown,
  reader: TrackingReader,
  nginx: NginxOptions | undefined,
): Ingress | undefined {
  const ingress = object as Ingress | null | undefined;
  if (nginx === undefined || ingress?.kind !== 'Ingress') return undefined;
  return isNginxIngress(reader, ingress, resolveNginxOptions(nginx)) ? ingress : undefined;
}
