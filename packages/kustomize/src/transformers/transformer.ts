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
}
