/** How the controllers of a run are started, and how they come to their end. */
export interface ControllerHost extends AsyncDisposable {
  /** What a source says to reach a repository that lies in a directory. */
  urlOf(directory: string): string;
  /**
   * Runs controllers that end at some step, which the numbers decide, or when the work is done. Gives
   * back what was under way.
   */
  crash(random: () => number, isDone: () => Promise<void>): Promise<string>;
  /** Runs controllers until the work is done. */
  run(which: readonly ('source' | 'kustomize')[], isDone: () => Promise<void>): Promise<void>;
}

/** What a host has to know of the API. */
export interface ApiAddress {
  readonly url: string;
  readonly adminToken: string;
}

export const crashNamespace = 'default';
