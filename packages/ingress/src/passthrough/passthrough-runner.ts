import { type ListenAddress, PassthroughProxy } from '@waygate/passthrough';
import type { ObjectReader } from '../store/object-reader.ts';
import type { ResolvedOptions } from '../translate/options.ts';
import type { Problem } from '../translate/problem.ts';
import { passthroughTable } from './passthrough-table.ts';

export interface PassthroughRunnerOptions {
  readonly listen: ListenAddress;
  /** Kong's TLS port, which takes PROXY protocol: everything that is not passed on goes there. */
  readonly kongTls: { readonly host: string; readonly port: number };
}

/** Makes things from a cluster, and keeps them for as long as they are true. */
export interface DerivedSource {
  derived<Result>(name: string, make: (reader: ObjectReader) => Result): Result;
}

/** The TLS proxy in front of Kong, kept to what the cluster says. */
export class PassthroughRunner {
  readonly #options: PassthroughRunnerOptions;
  readonly #proxy: PassthroughProxy;
  #made: ReturnType<typeof passthroughTable> | undefined;
  #current = '';

  constructor(options: PassthroughRunnerOptions) {
    this.#options = options;
    this.#proxy = new PassthroughProxy({ table: { hosts: [], defaultBackend: this.#default() } });
  }

  async start(): Promise<ListenAddress> {
    return this.#proxy.start(this.#options.listen);
  }

  /** Takes the cluster as it is now; connections that live keep their backend. */
  update(cluster: DerivedSource, options: ResolvedOptions): readonly Problem[] {
    const made = cluster.derived('passthrough', (reader) =>
      passthroughTable(reader, options, this.#default()),
    );
    if (made !== this.#made) {
      this.#made = made;
      const text = JSON.stringify(made.table);
      if (text !== this.#current) this.#proxy.update(made.table);
      this.#current = text;
    }
    return made.problems;
  }

  async stop(): Promise<void> {
    await this.#proxy.stop();
  }

  #default() {
    const { host, port } = this.#options.kongTls;
    return {
      name: 'kong',
      endpoints: [{ address: host, port }],
      proxyProtocol: 'v1' as const,
    };
  }
}
