/** A kind of the API in one version; the group of the core is empty. */
export interface GroupVersionKind {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A resource of the API in one version, by its plural. */
export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/**
 * `v1` for the core group, else `group/version`.
 *
 * ```ts
 * apiVersionOf('apps', 'v1'); // 'apps/v1'
 * apiVersionOf('', 'v1'); // 'v1'
 * ```
 */
export function apiVersionOf(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`;
}

/**
 * Takes `apps/v1` or `v1` apart.
 *
 * ```ts
 * parseApiVersion('apps/v1'); // { group: 'apps', version: 'v1' }
 * parseApiVersion('v1'); // { group: '', version: 'v1' }
 * ```
 */
export function parseApiVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf('/');
  if (slash < 0) return { group: '', version: apiVersion };
  return { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}
