/** How many pieces there are, and how many are done at a time. */
export interface ParallelizeOptions {
  readonly workers: number;
  readonly pieces: number;
  /** How many pieces a worker takes at a time. */
  readonly chunkSize?: number;
  readonly signal?: AbortSignal;
}

/**
 * Works on `pieces` numbered from 0 with several workers, each piece once. Once the signal aborts no
 * further piece is begun. A piece that fails fails the whole after the others have ended.
 *
 * ```ts
 * const names = ['a', 'b', 'c'];
 * await parallelizeUntil({ workers: 2, pieces: names.length, signal }, async (piece) => {
 *   await client.resource(kinds.Pod).delete(names[piece] ?? '', { namespace: 'shop' });
 * });
 * ```
 */
export async function parallelizeUntil(
  options: ParallelizeOptions,
  work: (piece: number) => void | Promise<void>,
): Promise<void> {
  const { pieces, signal } = options;
  const chunkSize = Math.max(1, options.chunkSize ?? 1);
  const chunks = Math.ceil(pieces / chunkSize);
  let nextChunk = 0;
  const worker = async () => {
    while (nextChunk < chunks) {
      const start = nextChunk++ * chunkSize;
      const end = Math.min(start + chunkSize, pieces);
      for (let piece = start; piece < end; piece++) {
        if (signal?.aborted) return;
        await work(piece);
      }
    }
  };
  const workers = Array.from({ length: Math.min(options.workers, chunks) }, worker);
  const failed = (await Promise.allSettled(workers)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}
