import type { IncomingHttpHeaders } from 'node:http';
import type { KubeClient } from '@waygate/kube';
import { type Clock, systemClock } from '../time/clock.ts';

/** May this request be answered? 401: we do not know who asks. 403: we do, and they may not. */
export type AccessVerdict = 200 | 401 | 403;

interface Remembered {
  readonly verdict: AccessVerdict;
  readonly untilMs: number;
}

/** A scraper comes every few seconds; its right does not change as often. */
const rememberMs = 10_000;
const mostRemembered = 1_000;

/**
 * Lets those in whom Kubernetes lets: a bearer token is reviewed, and its owner must be allowed to get
 * the path as a non-resource URL.
 *
 * ```ts
 * const access = new AccessReview(client);
 * const server = new HealthServer({ metrics: prometheusMetrics().registry, access });
 * ```
 */
export class AccessReview {
  readonly #client: Pick<KubeClient, 'json'>;
  readonly #clock: Clock;
  /** By path and token, for a while. */
  readonly #verdicts = new Map<string, Remembered>();

  constructor(client: Pick<KubeClient, 'json'>, clock: Clock = systemClock) {
    this.#client = client;
    this.#clock = clock;
  }

  async verdictOn(headers: IncomingHttpHeaders, path: string): Promise<AccessVerdict> {
    const [, token] = /^Bearer ([\w\-.~+/]+=*)$/iu.exec(headers.authorization ?? '') ?? [];
    if (token === undefined) return 401;
    const key = `${path} ${token}`;
    const known = this.#verdicts.get(key);
    if (known !== undefined && known.untilMs > this.#clock.monotonicMs()) return known.verdict;
    const verdict = await this.#ask(token, path);
    // Wrong tokens are many: the table must not grow with them.
    if (this.#verdicts.size >= mostRemembered) this.#verdicts.clear();
    this.#verdicts.set(key, { verdict, untilMs: this.#clock.monotonicMs() + rememberMs });
    return verdict;
  }

  async #ask(token: string, path: string): Promise<AccessVerdict> {
    const { status } = await this.#review<{
      authenticated?: boolean;
      user?: { username?: string; uid?: string; groups?: string[]; extra?: object };
    }>('authentication.k8s.io', 'TokenReview', 'tokenreviews', { token });
    if (status?.authenticated !== true) return 401;
    const { username, uid, groups, extra } = status.user ?? {};
    const { status: access } = await this.#review<{ allowed?: boolean }>(
      'authorization.k8s.io',
      'SubjectAccessReview',
      'subjectaccessreviews',
      {
        user: username,
        ...(uid && { uid }),
        ...(groups && { groups }),
        ...(extra && { extra }),
        nonResourceAttributes: { path, verb: 'get' },
      },
    );
    return access?.allowed === true ? 200 : 403;
  }

  async #review<Status>(
    group: string,
    kind: string,
    plural: string,
    spec: object,
  ): Promise<{ readonly status?: Status }> {
    return this.#client.json<{ status?: Status }>({
      method: 'POST',
      path: `/apis/${group}/v1/${plural}`,
      body: { apiVersion: `${group}/v1`, kind, spec },
    });
  }
}
