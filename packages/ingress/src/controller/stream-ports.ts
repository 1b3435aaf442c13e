import { referenceTo } from '../objects/reference.ts';
import type { ConfigMap } from '../objects/secret.ts';
import type { DerivedSource } from '../passthrough/passthrough-runner.ts';
import { hasEndpoints, readStreams } from '../translate/nginx/streams.ts';
import type { ResolvedOptions } from '../translate/options.ts';
import type { Problem } from '../translate/problem.ts';

/** A port for streams that the gateway is to listen on. */
export interface StreamPort {
  readonly kind: 'tcp' | 'udp';
  readonly port: number;
}

/** Opens these ports and closes all that an earlier call opened; returns those that cannot be, and why. */
export type OpenStreamPorts = (
  ports: readonly StreamPort[],
) => Promise<readonly (StreamPort & { readonly code: string })[]>;

interface Wanted extends StreamPort {
  readonly source: ConfigMap;
}

/** Has the ports opened that ingress-nginx' TCP and UDP services ask for. */
export class StreamPorts {
  readonly #open: OpenStreamPorts;
  readonly #onChange: () => void;
  readonly #onError: (error: unknown) => void;
  #current = '[]';
  /** By port, why it is not open. */
  #refused: ReadonlyMap<string, string> = new Map();

  constructor(open: OpenStreamPorts, onChange: () => void, onError: (error: unknown) => void) {
    this.#open = open;
    this.#onChange = onChange;
    this.#onError = onError;
  }

  /** Takes the cluster as it is now; returns what is wrong with ports that were asked for before. */
  update(cluster: DerivedSource, options: ResolvedOptions): readonly Problem[] {
    const wanted = cluster.derived('nginx stream ports', (reader): readonly Wanted[] =>
      options.nginx === undefined
        ? []
        : readStreams(reader, options.nginx)
            .streams.filter((stream) => hasEndpoints(stream, reader, options))
            .map(({ kind, port, source }) => ({ kind, port, source })),
    );
    const ports = wanted.map(({ kind, port }) => ({ kind, port }));
    const text = JSON.stringify(ports);
    if (text !== this.#current) {
      this.#current = text;
      this.#bring(ports, text);
    }
    return wanted.flatMap(({ kind, port, source }) => {
      const code = this.#refused.get(`${kind} ${port}`);
      if (code === undefined) return [];
      const message = `the gateway cannot listen on port ${port}: ${code}`;
      return [{ object: referenceTo(source), field: `data[${port}]`, message }];
    });
  }

  #bring(ports: readonly StreamPort[], text: string): void {
    this.#open(ports).then(
      (refused) => {
        if (this.#current !== text) return;
        const before = this.#refused.size;
        this.#refused = new Map(refused.map(({ kind, port, code }) => [`${kind} ${port}`, code]));
        if (before + refused.length > 0) this.#onChange();
      },
      (error: unknown) => {
        // With the next change, or the next look, it is tried again.
        if (this.#current === text) this.#current = '';
        this.#onError(error);
      },
    );
  }
}
