/**
 * The paths of a route as people would write them. What is below a path, and the path itself, are two to a
 * gateway, `/cart/` and `~/cart$`; to people they are `/cart`.
 */
export function shownPaths(paths: readonly string[]): readonly string[] {
  const known = new Set(paths);
  const shown = new Set<string>();
  for (const path of paths) {
    const own = /^~(\/.*)\$$/.exec(path)?.[1]?.replaceAll(/\\(.)/g, '$1');
    if (own !== undefined && known.has(`${own}/`)) shown.add(own);
    else if (path !== '/' && path.endsWith('/') && hasOwn(known, path.slice(0, -1)))
      shown.add(path.slice(0, -1));
    else shown.add(path);
  }
  return [...shown];
}

function hasOwn(paths: ReadonlySet<string>, path: string): boolean {
  if (paths.has(`~${path}$`)) return true;
  for (const each of paths)
    if (each.startsWith('~') && each.replaceAll(/\\(.)/g, '$1') === `~${path}$`) return true;
  return false;
}
