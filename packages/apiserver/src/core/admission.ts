import type { DynamicObject } from '@waygate/schema';
import type { UserInfo } from '../access/user.ts';
import type { Resource } from '../resources/resource.ts';

/** One write on its way into the store. */
export interface AdmissionAttributes {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly resource: Resource;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** The name in the path of the request; a POST to a collection has none. */
  readonly pathName?: string;
  readonly object: DynamicObject | undefined;
  readonly oldObject: Readonly<DynamicObject> | undefined;
  readonly user: UserInfo;
  readonly isDryRun: boolean;
  readonly options: Readonly<Record<string, unknown>>;
  warn(text: string): void;
}

/**
 * The gate between a request and the store. `mutate` may change the object; both refuse by
 * throwing an ApiError.
 */
export interface Admission {
  mutate(attributes: AdmissionAttributes): Promise<void>;
  validate(attributes: AdmissionAttributes): Promise<void>;
}

/** Runs several gates, one after the other. */
export class AdmissionChain implements Admission {
  readonly #members: readonly Admission[];

  constructor(members: readonly Admission[]) {
    this.#members = members;
  }

  async mutate(attributes: AdmissionAttributes): Promise<void> {
    for (const member of this.#members) await member.mutate(attributes);
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    for (const member of this.#members) await member.validate(attributes);
  }
}
