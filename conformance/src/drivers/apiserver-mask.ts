/** Makes two recordings of the same behaviour equal: volatile values go, undefined orders are fixed. */
export interface MaskOptions {
  /** Items of a list whose order the real server does not define. */
  readonly sortsItems: boolean;
  /** The body of the request: what a client chose is not volatile. */
  readonly requestBody: unknown;
}

const volatileKeys = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'deletionTimestamp',
  'lastTransitionTime',
  'lastUpdateTime',
  'lastHeartbeatTime',
  'time',
  'expirationTimestamp',
  'continue',
  'caBundle',
  'token',
  'kid',
  'n',
  'serverAddress',
  'jwks_uri',
]);

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const timestamp = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z/g;

const wholeTimestamp = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/;

export function mask(value: unknown, options: MaskOptions): unknown {
  return maskValue(value, '', options);
}

/** Volatile parts inside a sentence. */
export function maskText(text: string): string {
  return (
    text
      .replaceAll(uuid, '<uid>')
      .replaceAll(timestamp, '<time>')
      .replaceAll(/0xc[0-9a-f]+/g, '<pointer>')
      // Which of several bindings a review names is not defined.
      .replaceAll(/^RBAC: allowed by ClusterRoleBinding .*$/g, 'RBAC: allowed by <binding>')
      .replaceAll(/10\.96\.\d+\.\d+/g, '<ip>')
      .replaceAll(/(resource version: )\d+ \(\d+\)/gi, '$1<rv>')
      .replaceAll(/current: \d+/g, 'current: <rv>')
      .replaceAll(/in record \(\d+\)/g, 'in record (<rv>)')
      .replaceAll(/(resourceVersion\\*": ?\\*")\d+/g, '$1<rv>')
      .replaceAll(/\?hash=[0-9A-F]+/g, '?hash=<hash>')
  );
}

function maskValue(value: unknown, key: string, options: MaskOptions): unknown {
  if (Array.isArray(value)) return maskList(value, key, options);
  if (typeof value === 'string') {
    if (volatileKeys.has(key) && value !== '') return `<${key}>`;
    if (wholeTimestamp.test(value)) return '<time>';
    return key === 'message' || key === 'error' || key === 'reason' || key === 'serverRelativeURL'
      ? maskText(value)
      : value
          .replaceAll(uuid, '<uid>')
          .replaceAll(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-<suffix>');
  }
  if (typeof value !== 'object' || value === null) return value;
  return maskObject(value as Record<string, unknown>, options);
}

function maskObject(
  object: Record<string, unknown>,
  options: MaskOptions,
): Record<string, unknown> {
  const masked: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(object)) {
    masked[key.replaceAll(uuid, '<uid>')] = maskValue(item, key, options);
  }
  const metadata = object.metadata as Record<string, unknown> | undefined;
  if (typeof metadata?.generateName === 'string' && typeof metadata.name === 'string') {
    (masked.metadata as Record<string, unknown>).name = `${metadata.generateName}<suffix>`;
  }
  if (object.kind === 'Table') maskTable(masked);
  maskNetwork(object, masked, options.requestBody);
  sortCauses(masked);
  return masked;
}

function maskList(list: readonly unknown[], key: string, options: MaskOptions): unknown {
  const masked = list.map((item) => maskValue(item, key, options));
  if (key === 'managedFields' || key === 'nonResourceRules' || key === 'resourceRules') {
    return masked.sort(byJson);
  }
  if (key === 'items' && options.sortsItems) return masked.sort(byJson);
  return masked;
}

function byJson(a: unknown, b: unknown): number {
  const [left, right] = [JSON.stringify(sortKeys(a)), JSON.stringify(sortKeys(b))];
  return left < right ? -1 : left > right ? 1 : 0;
}

export function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const sorted: Record<string, unknown> = {};
  for (const key of Object.keys(value).sort()) {
    sorted[key] = sortKeys((value as Record<string, unknown>)[key]);
  }
  return sorted;
}

const agePattern = /^(?:\d+[smhdy])+$|^<unknown>$/;

function maskTable(table: Record<string, unknown>): void {
  // Help texts of built-in columns are prose; those of custom ones come from the definition.
  for (const column of (table.columnDefinitions as Record<string, unknown>[] | null) ?? []) {
    delete column.description;
  }
  for (const row of (table.rows as { cells: unknown[] }[] | null) ?? []) {
    row.cells = row.cells.map((cell) =>
      typeof cell === 'string' && (agePattern.test(cell) || /^\d{4}-\d\d-\d\dT/.test(cell))
        ? '<age>'
        : typeof cell === 'string' && /^10\.96\.\d+\.\d+$/.test(cell)
          ? '<ip>'
          : cell,
    );
  }
}

/** Cluster addresses and node ports are the server's choice unless the request made it. */
function maskNetwork(
  original: Record<string, unknown>,
  masked: Record<string, unknown>,
  requestBody: unknown,
): void {
  const request = JSON.stringify(requestBody ?? '');
  const isChosen = (value: unknown) => request.includes(JSON.stringify(value));
  const address = original.clusterIP;
  if (typeof address === 'string' && address !== 'None' && address !== '' && !isChosen(address)) {
    masked.clusterIP = '<ip>';
  }
  if (Array.isArray(original.clusterIPs)) {
    masked.clusterIPs = original.clusterIPs.map((each) =>
      each === 'None' || isChosen(each) ? each : '<ip>',
    );
  }
  for (const key of ['nodePort', 'healthCheckNodePort']) {
    const port = original[key];
    if (typeof port === 'number' && port !== 0 && !request.includes(`"${key}":${port}`)) {
      masked[key] = '<port>';
    }
  }
}

/** The order of several causes is not defined, and neither is that of the message made of them. */
function sortCauses(object: Record<string, unknown>): void {
  if (object.kind !== 'Status') return;
  const details = object.details as { causes?: unknown[] } | undefined;
  if (!Array.isArray(details?.causes) || details.causes.length < 2) return;
  details.causes.sort(byJson);
  const message = String(object.message);
  const open = message.indexOf('[');
  if (open < 0 || !message.endsWith(']')) return;
  const parts = message
    .slice(open + 1, -1)
    .split(', ')
    .sort();
  object.message = `${message.slice(0, open)}[${parts.join(', ')}]`;
}
