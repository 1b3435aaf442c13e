import {
  dnsLabelProblems,
  dnsSearchProblems,
  dnsSubdomainProblems,
  qualifiedNameProblems,
} from '@waygate/text';
import {
  type FieldProblem,
  forbidden,
  invalid,
  notFoundValue,
  required,
  tooLong,
} from '../status/field-problem.ts';
import { validateAnnotations, validateLabels } from '../validation/object-meta.ts';
import { addressProblems } from './address-rules.ts';
import {
  containerProblems,
  ephemeralContainerProblems,
  hostPortConflicts,
  initContainerProblems,
} from './container-rules.ts';
import { type Fields, listAt, numberAt, objectAt, textAt, textsAt } from './fields.ts';
import { podAnnotationProblems } from './pod-annotation-rules.ts';
import { podResourceProblems } from './pod-resource-rules.ts';
import { affinityProblems, spreadProblems, tolerationProblems } from './pod-scheduling-rules.ts';
import { podSecurityProblems } from './pod-security-rules.ts';
import { resourceClaimProblems } from './resource-claim-rules.ts';
import { resourceProblems } from './resource-rules.ts';
import { oneOf, textProblems } from './rule.ts';
import { volumeProblems } from './volume-rules.ts';
import { containersOf, hostProcessProblems, systemProblems } from './windows-rules.ts';

/**
 * The rules of a pod's spec, in the order in which the API reports them; `metadata` is the pod's own,
 * and a template has none.
 */
export function podSpecProblems(spec: Fields, field: string, metadata?: Fields): FieldProblem[] {
  const isPod = metadata !== undefined;
  const volumes = new Map<string, Fields>();
  const containers = listAt(spec, 'containers');
  return [
    ...listAt(spec, 'volumes').flatMap((volume, index) =>
      volumeProblems(volume, `${field}.volumes[${index}]`, { volumes, spec, metadata }),
    ),
    ...resourceClaimProblems(spec, field, objectAt(metadata, 'annotations')),
    ...(containers.length === 0
      ? [required(`${field}.containers`)]
      : [
          ...containerProblems(spec, containers, `${field}.containers`, volumes),
          ...hostPortConflicts(containers, `${field}.containers`),
        ]),
    ...initContainerProblems(spec, field, volumes),
    ...ephemeralContainerProblems(spec, field, volumes),
    ...podResourceProblems(spec, field),
    ...hostNetworkProblems(spec, field, isPod),
    ...oneOf(`${field}.restartPolicy`, spec.restartPolicy, ['Always', 'OnFailure', 'Never']),
    ...oneOf(`${field}.dnsPolicy`, spec.dnsPolicy, [
      'ClusterFirstWithHostNet',
      'ClusterFirst',
      'Default',
      'None',
    ]),
    ...validateLabels(
      objectAt(spec, 'nodeSelector') as Record<string, string>,
      `${field}.nodeSelector`,
    ),
    ...podSecurityProblems(spec, field),
    ...affinityProblems(objectAt(spec, 'affinity'), `${field}.affinity`),
    ...dnsProblems(spec, field),
    ...listAt(spec, 'readinessGates').flatMap((gate, index) =>
      textProblems(
        `${field}.readinessGates[${index}].conditionType`,
        textAt(gate, 'conditionType'),
        qualifiedNameProblems,
      ),
    ),
    ...schedulingGateProblems(spec, field),
    ...spreadProblems(
      listAt(spec, 'topologySpreadConstraints'),
      `${field}.topologySpreadConstraints`,
    ),
    ...hostProcessProblems(spec, field),
    ...hostUserProblems(spec, field),
    ...hostnameOverrideProblems(spec, field),
    ...nameProblems(spec, field),
    ...tolerationProblems(listAt(spec, 'tolerations'), `${field}.tolerations`),
    ...hostAliasProblems(spec, field),
    ...laterNameProblems(spec, field),
    ...resourceProblems({ limits: spec.overhead }, `${field}.overhead`),
    ...systemProblems(spec, field),
    ...fileVolumeProblems(spec, field),
  ];
}

/** A template has the rules of its pods, and may not have what only runs in a pod. */
export function podTemplateProblems(template: Fields, field: string): FieldProblem[] {
  const metadata = objectAt(template, 'metadata');
  const spec = objectAt(template, 'spec');
  return [
    ...validateLabels(objectAt(metadata, 'labels') as Record<string, string>, `${field}.labels`),
    ...validateAnnotations(
      objectAt(metadata, 'annotations') as Record<string, string>,
      `${field}.annotations`,
    ),
    ...podAnnotationProblems(objectAt(metadata, 'annotations'), spec, `${field}.annotations`),
    ...podSpecProblems(spec, `${field}.spec`),
    ...(listAt(spec, 'ephemeralContainers').length === 0
      ? []
      : [
          forbidden(
            `${field}.spec.ephemeralContainers`,
            'ephemeral containers not allowed in pod template',
          ),
        ]),
  ];
}

function hostNetworkProblems(spec: Fields, field: string, isPod: boolean): FieldProblem[] {
  if (spec.hostNetwork !== true) return [];
  return listAt(spec, 'containers').flatMap((container, index) =>
    listAt(container, 'ports').flatMap((port, at) => {
      const host = numberAt(port, 'hostPort') ?? 0;
      if ((!isPod && host === 0) || host === port.containerPort) return [];
      const path = `${field}.containers[${index}].ports[${at}].hostPort`;
      return [invalid(path, host, 'must match `containerPort` when `hostNetwork` is true')];
    }),
  );
}

const maxNameservers = 3;
const maxSearches = 32;
const maxSearchBytes = 2048;

function dnsProblems(spec: Fields, field: string): FieldProblem[] {
  const config = spec.dnsConfig === undefined ? undefined : objectAt(spec, 'dnsConfig');
  const at = `${field}.dnsConfig`;
  const servers = textsAt(config, 'nameservers');
  if (spec.dnsPolicy === 'None') {
    if (config === undefined)
      return [required(at, 'must provide `dnsConfig` when `dnsPolicy` is None')];
    if (servers.length === 0) {
      const why = 'must provide at least one DNS nameserver when `dnsPolicy` is None';
      return [required(`${at}.nameservers`, why)];
    }
  }
  if (config === undefined) return [];
  const problems: FieldProblem[] = [];
  if (servers.length > maxNameservers) {
    const why = `must not have more than ${maxNameservers} nameservers`;
    problems.push(invalid(`${at}.nameservers`, servers, why));
  }
  for (const [index, server] of servers.entries()) {
    problems.push(...addressProblems(server, `${at}.nameservers[${index}]`));
  }
  const searches = textsAt(config, 'searches');
  if (searches.length > maxSearches) {
    const why = `must not have more than ${maxSearches} search paths`;
    problems.push(invalid(`${at}.searches`, searches, why));
  }
  const total = searches.join(' ').length;
  if (total > maxSearchBytes) {
    const why = `must not have more than ${maxSearchBytes} characters (including spaces) in the search list`;
    problems.push(invalid(`${at}.searches`, searches, why));
  }
  for (const [index, search] of searches.entries()) {
    const name = search.replace(/\.$/, '');
    if (search !== '.')
      problems.push(...textProblems(`${at}.searches[${index}]`, name, dnsSearchProblems));
  }
  for (const [index, option] of listAt(config, 'options').entries()) {
    if (textAt(option, 'name') === '')
      problems.push(required(`${at}.options[${index}]`, 'must not be empty'));
  }
  return problems;
}

function schedulingGateProblems(spec: Fields, field: string): FieldProblem[] {
  const seen = new Set<string>();
  return listAt(spec, 'schedulingGates').flatMap((gate, index) => {
    const name = textAt(gate, 'name');
    const at = `${field}.schedulingGates[${index}]`;
    const problems = textProblems(at, name, qualifiedNameProblems);
    if (seen.has(name)) problems.push({ type: 'duplicate', field: at, value: name, detail: '' });
    seen.add(name);
    return problems;
  });
}

function nameProblems(spec: Fields, field: string): FieldProblem[] {
  const deadline = numberAt(spec, 'activeDeadlineSeconds');
  return [
    ...optional(spec, 'serviceAccountName', field, dnsSubdomainProblems),
    ...optional(spec, 'nodeName', field, dnsSubdomainProblems),
    ...(deadline === undefined || (deadline >= 1 && deadline <= 2 ** 31 - 1)
      ? []
      : [
          invalid(
            `${field}.activeDeadlineSeconds`,
            deadline,
            'must be between 1 and 2147483647, inclusive',
          ),
        ]),
    ...optional(spec, 'hostname', field, dnsLabelProblems),
    ...optional(spec, 'subdomain', field, dnsLabelProblems),
  ];
}

function laterNameProblems(spec: Fields, field: string): FieldProblem[] {
  const policy = spec.preemptionPolicy;
  return [
    ...optional(spec, 'priorityClassName', field, dnsSubdomainProblems),
    ...optional(spec, 'runtimeClassName', field, dnsSubdomainProblems),
    ...(policy === undefined
      ? []
      : oneOf(`${field}.preemptionPolicy`, policy, ['PreemptLowerPriority', 'Never'])),
  ];
}

function optional(
  spec: Fields,
  name: string,
  field: string,
  rule: (text: string) => string[],
): FieldProblem[] {
  const value = textAt(spec, name);
  return value === '' ? [] : textProblems(`${field}.${name}`, value, rule);
}

/** Pods with users of their own share less with their host. */
function hostUserProblems(spec: Fields, field: string): FieldProblem[] {
  if (spec.hostUsers !== false) return [];
  const why = 'when `hostUsers` is false';
  return [
    ...(spec.hostNetwork === true ? [forbidden(`${field}.hostNetwork`, why)] : []),
    ...(spec.hostPID === true ? [forbidden(`${field}.HostPID`, why)] : []),
    ...(spec.hostIPC === true ? [forbidden(`${field}.HostIPC`, why)] : []),
    ...containersOf(spec, field).flatMap(([container, at]) =>
      listAt(container, 'volumeDevices').length === 0
        ? []
        : [forbidden(`${at}.volumeDevices`, why)],
    ),
  ];
}

const maxHostnameBytes = 64;

function hostnameOverrideProblems(spec: Fields, field: string): FieldProblem[] {
  if (spec.hostnameOverride === undefined) return [];
  const at = `${field}.hostnameOverride`;
  const name = textAt(spec, 'hostnameOverride');
  const not = (what: string) => forbidden(at, `may not be specified when ${what} is true`);
  return [
    ...(spec.setHostnameAsFQDN === true ? [not('setHostnameAsFQDN')] : []),
    ...(spec.hostNetwork === true ? [not('hostNetwork')] : []),
    ...(name.length > maxHostnameBytes ? [tooLong(at, maxHostnameBytes)] : []),
    ...textProblems(at, name, dnsSubdomainProblems),
  ];
}

/** Variables that are read from a file: it is in a volume that is empty at first. */
function fileVolumeProblems(spec: Fields, field: string): FieldProblem[] {
  const volumes = new Map(listAt(spec, 'volumes').map((each) => [textAt(each, 'name'), each]));
  return containersOf(spec, field).flatMap(([container, at]) =>
    listAt(container, 'env').flatMap((variable, index) => {
      const from = objectAt(variable, 'valueFrom');
      if (from.fileKeyRef === undefined) return [];
      const name = textAt(objectAt(from, 'fileKeyRef'), 'volumeName');
      const place = `${at}.env[${index}].valueFrom.fileKeyRef.volumeName`;
      const volume = volumes.get(name);
      if (volume === undefined) return [notFoundValue(place, name)];
      return volume.emptyDir === undefined
        ? [invalid(place, name, 'referenced volume must be of type emptyDir')]
        : [];
    }),
  );
}

function hostAliasProblems(spec: Fields, field: string): FieldProblem[] {
  return listAt(spec, 'hostAliases').flatMap((alias, index) => [
    ...addressProblems(textAt(alias, 'ip'), `${field}.hostAliases[${index}].ip`),
    ...textsAt(alias, 'hostnames').flatMap((name, at) =>
      textProblems(`${field}.hostAliases[${index}].hostnames[${at}]`, name, dnsSubdomainProblems),
    ),
  ]);
}
