import { dnsLabelProblems } from '@waygate/text';
import { addressWarnings } from './address-rules.ts';
import { type Fields, listAt, numberAt, objectAt, textAt, textsAt } from './fields.ts';
import { containersOf } from './windows-rules.ts';

const retiredAnnotations: Readonly<Record<string, string>> = {
  'scheduler.alpha.kubernetes.io/critical-pod':
    'non-functional in v1.16+; use the "priorityClassName" field instead',
  'security.alpha.kubernetes.io/sysctls':
    'non-functional in v1.11+; use the "sysctls" field instead',
  'security.alpha.kubernetes.io/unsafe-sysctls':
    'non-functional in v1.11+; use the "sysctls" field instead',
};

const retiredVolumes: Readonly<Record<string, string>> = {
  photonPersistentDisk: 'deprecated in v1.11, non-functional in v1.16+',
  gitRepo: 'deprecated in v1.11, and disabled by default in v1.33+',
  scaleIO: 'deprecated in v1.16, non-functional in v1.22+',
  flocker: 'deprecated in v1.22, non-functional in v1.25+',
  storageOS: 'deprecated in v1.22, non-functional in v1.25+',
  quobyte: 'deprecated in v1.22, non-functional in v1.25+',
  glusterfs: 'deprecated in v1.25, non-functional in v1.26+',
  cephfs: 'deprecated in v1.28, non-functional in v1.31+',
  rbd: 'deprecated in v1.28, non-functional in v1.31+',
};

const retiredNodeLabels: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region':
    'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone':
    'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type':
    'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
};

/** Names that hosts are called by, too. */
export function hostnameWarnings(name: string, use: string): string[] {
  const problems = dnsLabelProblems(name);
  if (problems.length === 0) return [];
  const why = `this is used in ${use}, which can result in surprising behavior; a DNS label is recommended`;
  return [`metadata.name: ${why}: [${problems.join(' ')}]`];
}

/** What is allowed in a pod and hardly meant. `prefix` is empty for a Pod, `spec.template.` in others. */
export function podWarnings(pod: Fields, prefix = ''): string[] {
  const spec = objectAt(pod, 'spec');
  const at = `${prefix}spec`;
  const annotations = objectAt(objectAt(pod, 'metadata'), 'annotations');
  return [
    ...Object.keys(objectAt(spec, 'nodeSelector'))
      .filter((label) => retiredNodeLabels[label] !== undefined)
      .sort()
      .map((label) => `${at}.nodeSelector[${label}]: ${retiredNodeLabels[label]}`),
    ...nodeTermWarnings(
      listAt(
        objectAt(
          objectAt(objectAt(spec, 'affinity'), 'nodeAffinity'),
          'requiredDuringSchedulingIgnoredDuringExecution',
        ),
        'nodeSelectorTerms',
      ),
      `${at}.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`,
    ),
    ...listAt(spec, 'topologySpreadConstraints').flatMap((constraint, index) =>
      constraint.labelSelector === undefined
        ? [emptySelector(`${at}.topologySpreadConstraints[${index}].labelSelector`)]
        : [],
    ),
    ...Object.entries(retiredAnnotations)
      .filter(([key]) => annotations[key] !== undefined)
      .map(([key, text]) => `${prefix}metadata.annotations[${key}]: ${text}`),
    ...Object.keys(annotations)
      .filter((key) => key.startsWith('container.apparmor.security.beta.kubernetes.io/'))
      .map(
        (key) =>
          `${prefix}metadata.annotations[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`,
      ),
    ...listAt(spec, 'volumes').flatMap((volume, index) =>
      Object.entries(retiredVolumes)
        .filter(([source]) => volume[source === 'storageOS' ? 'storageos' : source] !== undefined)
        .map(([source, text]) => `${at}.volumes[${index}].${source}: ${text}`),
    ),
    ...listAt(spec, 'volumes').flatMap((volume) =>
      volume.projected !== undefined &&
      listAt(objectAt(volume, 'projected'), 'sources').length === 0
        ? [`volume ${JSON.stringify(textAt(volume, 'name'))} (Projected) has no sources provided`]
        : [],
    ),
    ...repeated(listAt(spec, 'hostAliases'), 'ip', `${at}.hostAliases`),
    ...repeated(listAt(spec, 'imagePullSecrets'), 'name', `${at}.imagePullSecrets`),
    ...listAt(spec, 'imagePullSecrets').flatMap((secret, index) =>
      textAt(secret, 'name') === ''
        ? [`${at}.imagePullSecrets[${index}].name: invalid empty name ""`]
        : [],
    ),
    ...containersOf(spec, at).flatMap(([container, field]) => [
      ...brokenBytes(container, field),
      ...hiddenVariables(container, field),
    ]),
    ...portWarnings(spec, at),
    ...((numberAt(spec, 'terminationGracePeriodSeconds') ?? 0) < 0
      ? [
          `${at}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`,
        ]
      : []),
    ...['podAffinity', 'podAntiAffinity'].flatMap((kind) => affinityWarnings(spec, at, kind)),
    ...textsAt(objectAt(spec, 'dnsConfig'), 'nameservers').flatMap((address, index) =>
      addressWarnings(address, `${at}.dnsConfig.nameservers[${index}]`),
    ),
    ...listAt(spec, 'hostAliases').flatMap((alias, index) =>
      addressWarnings(textAt(alias, 'ip'), `${at}.hostAliases[${index}].ip`),
    ),
  ];
}

/** Labels of nodes that have another name by now, in terms that nodes are chosen by. */
export function nodeTermWarnings(terms: readonly Fields[], field: string): string[] {
  return terms.flatMap((term, index) =>
    listAt(term, 'matchExpressions').flatMap((expression, place) => {
      const key = textAt(expression, 'key');
      const said = retiredNodeLabels[key];
      return said === undefined
        ? []
        : [`${field}[${index}].matchExpressions[${place}].key: ${key} is ${said}`];
    }),
  );
}

function emptySelector(field: string): string {
  return `${field}: a null labelSelector results in matching no pod`;
}

function repeated(items: readonly Fields[], field: string, at: string): string[] {
  const seen = new Set<string>();
  return items.flatMap((item, index) => {
    const value = textAt(item, field);
    if (seen.has(value))
      return [`${at}[${index}].${field}: duplicate ${field} ${JSON.stringify(value)}`];
    seen.add(value);
    return [];
  });
}

function hiddenVariables(container: Fields, field: string): string[] {
  const seen = new Set<string>();
  return listAt(container, 'env').flatMap((variable, index) => {
    const name = textAt(variable, 'name');
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    const reference = `$(${name})`;
    const value = textAt(variable, 'value');
    const extendsIt =
      variable.valueFrom === undefined && value !== reference && value.includes(reference);
    if (extendsIt) return [];
    return [
      `${field}.env[${index}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`,
    ];
  });
}

/** Parts of bytes, of which there are none. */
function brokenBytes(container: Fields, field: string): string[] {
  const resources = objectAt(container, 'resources');
  return ['memory', 'ephemeral-storage'].flatMap((name) =>
    ['limits', 'requests'].flatMap((side) => {
      const text = textAt(objectAt(resources, side), name);
      return text.endsWith('m')
        ? [
            `${field}.resources.${side}[${name}]: fractional byte value ${JSON.stringify(text)} is invalid, must be an integer`,
          ]
        : [];
    }),
  );
}

function portWarnings(spec: Fields, at: string): string[] {
  const warnings: string[] = [];
  const places = new Map<string, { field: string; port: Fields }[]>();
  const names = new Map<string, string>();
  const named: string[] = [];
  for (const [container, field] of containersOf(spec, at)) {
    for (const [index, port] of listAt(container, 'ports').entries()) {
      const place = `${field}.ports[${index}]`;
      const key = `${port.containerPort}/${port.protocol}`;
      const others = places.get(key) ?? [];
      for (const other of others) warnings.push(...samePort(port, place, other));
      places.set(key, [...others, { field: place, port }]);
      const name = textAt(port, 'name');
      const first = names.get(name);
      if (name === '') continue;
      if (first === undefined) names.set(name, place);
      else {
        named.push(
          `${place}: duplicate port name ${JSON.stringify(name)} with ${first}, services and probes that select ports by name will use ${first}`,
        );
      }
    }
  }
  return [...warnings, ...named];
}

function samePort(port: Fields, place: string, other: { field: string; port: Fields }): string[] {
  const host = [numberAt(port, 'hostPort') ?? 0, numberAt(other.port, 'hostPort') ?? 0] as const;
  const address = [textAt(port, 'hostIP'), textAt(other.port, 'hostIP')] as const;
  if (host[0] === host[1] && address[0] === address[1])
    return [`${place}: duplicate port definition with ${other.field}`];
  if (host[0] === 0 || host[1] === 0)
    return [`${place}: overlapping port definition with ${other.field}`];
  const isOneOpen = (address[0] === '') !== (address[1] === '');
  return host[0] === host[1] && isOneOpen
    ? [`${place}: dangerously ambiguous port definition with ${other.field}`]
    : [];
}

function affinityWarnings(spec: Fields, at: string, kind: string): string[] {
  const affinity = objectAt(objectAt(spec, 'affinity'), kind);
  const field = `${at}.affinity.${kind}`;
  const mandatory = 'requiredDuringSchedulingIgnoredDuringExecution';
  const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
  return [
    ...listAt(affinity, mandatory).flatMap((term, index) =>
      term.labelSelector === undefined
        ? [emptySelector(`${field}.${mandatory}[${index}].labelSelector`)]
        : [],
    ),
    ...listAt(affinity, preferred).flatMap((term, index) =>
      objectAt(term, 'podAffinityTerm').labelSelector === undefined
        ? [emptySelector(`${field}.${preferred}[${index}].podAffinityTerm.labelSelector`)]
        : [],
    ),
  ];
}
