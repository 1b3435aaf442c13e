/** `patch configmaps a`, for what changes an object that is not Flux'. */
export function writeOf(method: string, path: string): string | undefined {
  const verb = { PATCH: 'patch', DELETE: 'delete', POST: 'create', PUT: 'update' }[method];
  const url = new URL(path, 'http://localhost');
  if (verb === undefined || url.searchParams.has('dryRun')) return undefined;
  const found =
    /^\/(?:api\/v1|apis\/([^/]+)\/[^/]+)\/(?:namespaces\/[^/]+\/(?=.))?([^/]+)\/([^/]+)$/.exec(
      url.pathname,
    );
  if (found === null) return undefined;
  const [, group, resource, name] = found;
  if (resource === 'events' || group?.includes('toolkit.fluxcd.io')) return undefined;
  return `${verb} ${group === undefined ? '' : `${group}/`}${resource} ${name}`;
}
