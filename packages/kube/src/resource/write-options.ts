/** What goes with a write. */
export interface WriteOptions {
  readonly namespace?: string | undefined;
  readonly dryRun?: boolean | undefined;
  readonly fieldManager?: string | undefined;
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict' | undefined;
}

export type PatchType = 'json' | 'merge' | 'strategic';

export interface PatchOptions extends WriteOptions {
  /** Default `merge`. Custom resources take no `strategic`. */
  readonly type?: PatchType | undefined;
}

export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Takes fields from other managers instead of failing with a conflict. */
  readonly force?: boolean | undefined;
}

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
