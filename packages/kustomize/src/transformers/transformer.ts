import type { Origin } from '../resource.ts';
import type { ResourceList } from '../resource-list.ts';

/** Changes the resources of a layer, in place. */
export interface Transformer {
  /** Its kind, as a configuration file would name it. */
  readonly kind: string;
  transform(resources: ResourceList): void;
  /** The file that asked for it, when builds record that. */
  origin?: Origin | undefined;
  /** The file where it is asked for, as messages name it. */
  file?: string | undefined;
  /** Where the values of a patch stand, once `locate` was called. */
  places?: readonly PatchPlace[] | undefined;
  /**
   * Notes where the lines of a patch stand, for those who ask. What is written in a kustomization file
   * begins there after `line` others; what has a file of its own knows that.
   */
  locate?(at: { readonly file: string; readonly line: number } | undefined): void;
}

/** The line that gives a value to what a JSON pointer leads to. */
export interface PatchPlace {
  readonly pointer: string;
  readonly file: string;
  /** Counted from one. */
  readonly line: number;
}
