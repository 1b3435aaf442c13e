import { type Clock, systemClock } from '@waygate/runtime';
import { parseRejection } from '../fallback/rejection.ts';
import { toDeclarativeConfig } from '../translate/declarative-config.ts';
import { type AdminApi, refusalOf } from './admin-api.ts';
import { ConfigText } from './config-text.ts';
import {
  type GatewaySync,
  type Push,
  pushOf,
  type SyncOutcome,
  type SyncRequest,
} from './gateway-sync.ts';

/** What a gateway without any configuration answers as the hash of it. */
const emptyHash = '0'.repeat(32);

/**
 * Gateways without a database: each gets the whole configuration in one request, which it takes or
 * refuses as a whole. Nothing is sent to a gateway that has it already.
 */
export class DblessSync implements GatewaySync {
  readonly protocol = 'db-less';
  readonly #gateways: () => readonly AdminApi[];
  readonly #clock: Clock;
  readonly #onPush: (push: Push) => void;
  readonly #text: ConfigText;
  /** What each gateway took last. */
  #hashes = new WeakMap<AdminApi, string>();

  /** `gateways` is asked anew for every pass: discovery may have found others. */
  constructor(
    gateways: () => readonly AdminApi[],
    clock: Clock = systemClock,
    onPush: (push: Push) => void = () => undefined,
  ) {
    this.#gateways = gateways;
    this.#clock = clock;
    this.#onPush = onPush;
    this.#text = new ConfigText(clock);
  }

  async sync(request: SyncRequest, signal: AbortSignal): Promise<SyncOutcome> {
    const document = toDeclarativeConfig(request.state(), { isDbless: true });
    const { bytes, hash } = await this.#text.serialize(document);
    const stale = this.#gateways().filter((gateway) => this.#hashes.get(gateway) !== hash);
    if (stale.length === 0) return { kind: 'unchanged' };
    const outcomes = await Promise.all(
      stale.map(async (gateway) => {
        const startedMs = this.#clock.monotonicMs();
        const outcome = await this.#push(gateway, bytes, hash, signal);
        const durationMs = this.#clock.monotonicMs() - startedMs;
        this.#onPush({ ...pushOf(gateway.url, durationMs, outcome), bytes: bytes.length });
        return outcome;
      }),
    );
    const bad =
      outcomes.find(({ kind }) => kind === 'rejected') ??
      outcomes.find(({ kind }) => kind === 'failed');
    return bad ?? { kind: 'applied', writes: stale.length, bytes: bytes.length };
  }

  forget(): void {
    this.#hashes = new WeakMap();
  }

  async needsFullSync(signal: AbortSignal): Promise<boolean> {
    let isNeeded = false;
    for (const gateway of this.#gateways()) {
      if (!this.#hashes.has(gateway)) continue;
      try {
        const status = (await gateway.send('GET', '/status', { signal, isGlobal: true })) as {
          configuration_hash?: string;
        };
        if (status?.configuration_hash !== emptyHash) continue;
        this.#hashes.delete(gateway);
        isNeeded = true;
      } catch {
        // A gateway that is down is found out by the next push.
      }
    }
    return isNeeded;
  }

  async #push(
    gateway: AdminApi,
    body: Buffer,
    hash: string,
    signal: AbortSignal,
  ): Promise<SyncOutcome> {
    try {
      const query = { check_hash: '1', flatten_errors: '1' };
      // The answer to a success is the whole configuration once more, with its defaults.
      await gateway.send('POST', '/config', { query, body, signal, ignoresAnswer: true });
      this.#hashes.set(gateway, hash);
      return { kind: 'applied', writes: 1, bytes: 0 };
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error));
      const refusal = refusalOf(error);
      if (refusal?.status !== 400) return { kind: 'failed', error: failure };
      return { kind: 'rejected', rejection: parseRejection(refusal.body), error: failure };
    }
  }
}
