/** What goes with a write. */
export interface WriteOptions {
  readonly namespace?: string | undefined;
  readonly dryRun?: boolean | undefined;
  readonly fieldManager?: string | undefined;
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict' | undefined;
}

/** The patches beside apply, which is a call of its own. */
export type PatchType = 'json' | 'merge' | 'strategic';

/** What kind of patch it is, and how it is written. */
export interface PatchOptions<P extends PatchType = PatchType> extends WriteOptions {
  /** Default `merge`. Custom resources take no `strategic`. */
  readonly type?: P | undefined;
}

/** How a configuration is applied. */
export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Takes fields from other managers instead of failing with a conflict. */
  readonly force?: boolean | undefined;
}

/** How an object is deleted, and under which conditions. */
export interface DeleteOptions {
  readonly namespace?: string | undefined;
  readonly dryRun?: boolean | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground' | undefined;
  readonly preconditions?:
    | { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined }
    | undefined;
}

export const patchContentTypes: Readonly<Record<PatchType | 'apply', string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

export function writeQuery(options: WriteOptions): Record<string, string | undefined> {
  return {
    dryRun: options.dryRun === true ? 'All' : undefined,
    fieldManager: options.fieldManager,
    fieldValidation: options.fieldValidation,
  };
}

export function deleteBody(options: DeleteOptions): string | undefined {
  const body = {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    gracePeriodSeconds: options.gracePeriodSeconds,
    propagationPolicy: options.propagationPolicy,
    preconditions: options.preconditions,
    dryRun: options.dryRun === true ? ['All'] : undefined,
  };
  return JSON.stringify(body);
}
