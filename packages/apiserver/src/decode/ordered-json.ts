/** JSON with the keys of the outermost object sorted, as the API quotes a patched document. */
export function stringifyOrdered(value: Record<string, unknown>): string {
  const sorted: Record<string, unknown> = {};
  for (const key of Object.keys(value).sort()) sorted[key] = value[key];
  return JSON.stringify(sorted);
}
