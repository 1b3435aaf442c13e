/** One measured row: what ours and the peer needed for the same work in the same run. */
export interface Row {
  /** What was done, e.g. `initial sync`. */
  readonly name: string;
  /** The size of the input, when cost over N is what the row is about. */
  readonly n?: number;
  readonly unit: string;
  readonly ours: number;
  /** Absent when there is no peer that does this. */
  readonly peers?: Readonly<Record<string, number>>;
  /** `lower` is the default: seconds, bytes. Rates are `higher`. */
  readonly better?: 'lower' | 'higher';
  /** What we aim for, as text, and whether this run reached it. */
  readonly goal?: { readonly text: string; readonly isMet: boolean };
}

export interface BenchmarkOptions {
  /** Smaller inputs, to see that the benchmark runs. */
  readonly quick: boolean;
  readonly log: (line: string) => void;
}

/** A benchmark runs ours and its peers in one run and returns the rows. */
export interface Benchmark {
  readonly name: string;
  readonly title: string;
  run(options: BenchmarkOptions): Promise<readonly Row[]>;
}
