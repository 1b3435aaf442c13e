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

/** The TLS proxy in front of Kong, kept to what the cluster says. */
export class PassthroughRunner {
  readonly #options: PassthroughRunnerOptions;
  readonly #proxy: PassthroughProxy;
  #current = '';

  constructor(options: PassthroughRunnerOptions) {
    this.#options = options;
    this.#proxy = new PassthroughProxy({ table: { hosts: [], defaultBackend: this.#default() } });
  }

  async start(): Promise<ListenAddress> {
    return this.#proxy.start(this.#options.listen);
  }

  /** Takes the cluster as it is now; connections that live keep their backend. */
  update(reader: ObjectReader, options: ResolvedOptions): readonly Problem[] {
    const { table, problems } = passthroughTable(reader, options, this.#default());
    const text = JSON.stringify(table);
    if (text !== this.#current) {
      this.#current = text;
      this.#proxy.update(table);
    }
    return problems;
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
