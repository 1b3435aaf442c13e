import type { KubeClient } from '@waygate/kube';
import type { Clock } from '@waygate/runtime';

const refreshMs = 60_000;

/** From kinds to what access rules call them, as the API tells it; asked again when a kind is new. */
export class ResourceNames {
  readonly #client: Pick<KubeClient, 'discovery'>;
  readonly #clock: Clock;
  #plurals: Promise<ReadonlyMap<string, string>> | undefined;
  #readAtMs = Number.NEGATIVE_INFINITY;

  constructor(client: Pick<KubeClient, 'discovery'>, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** By `group/Kind`. A kind that the API does not serve is in nobody's rules. */
  async plurals(kinds: Iterable<string>): Promise<ReadonlyMap<string, string>> {
    const known = await this.#plurals;
    const isOld = this.#clock.monotonicMs() - this.#readAtMs > refreshMs;
    if (known !== undefined && (!isOld || [...kinds].every((kind) => known.has(kind))))
      return known;
    this.#readAtMs = this.#clock.monotonicMs();
    const reading = this.#read();
    this.#plurals = reading;
    return reading.catch((error: unknown) => {
      if (this.#plurals === reading) this.#plurals = undefined;
      throw error;
    });
  }

  async #read(): Promise<ReadonlyMap<string, string>> {
    const { resources } = await this.#client.discovery.surface();
    return new Map(resources.map(({ group, kind, plural }) => [`${group}/${kind}`, plural]));
  }
}
