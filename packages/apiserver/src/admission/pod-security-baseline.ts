import { type Fields, listAt, objectAt, textAt } from '../builtins/fields.ts';
import {
  containerRule,
  containersThat,
  contextOf,
  forbiddenAdditions,
  hasOwnUsers,
  isUnconfined,
  type JudgedPod,
  named,
  quoted,
  type Rule,
  settersOf,
  unmaskedProc,
  type Violation,
} from './judged-pod.ts';

/** The rules of the baseline, in the order in which Kubernetes names them: by the names of its checks. */
export const baselineRules: readonly Rule[] = [
  appArmor,
  addedCapabilities,
  hostNamespaces,
  hostPaths,
  hostPorts,
  probeHosts,
  privileged,
  procMount,
  seLinux,
  unconfinedSeccomp,
  sysctls,
  hostProcess,
];

/** Rules of the baseline that have a stricter form in the restricted level. */
export const relaxedRules: ReadonlySet<Rule> = new Set([
  addedCapabilities,
  hostPaths,
  procMount,
  unconfinedSeccomp,
]);

const appArmorPrefix = 'container.apparmor.security.beta.kubernetes.io/';

function appArmor(pod: JudgedPod): Violation | undefined {
  const isWrong = (type: string) => !['', 'RuntimeDefault', 'Localhost'].includes(type);
  const ofContext = (context: Readonly<Fields>) =>
    textAt(objectAt(context, 'appArmorProfile'), 'type');
  // The old annotation counts for what the field says today, and is named beside it.
  const markOf = (container: Readonly<Fields>) =>
    pod.annotations[`${appArmorPrefix}${textAt(container, 'name')}`] ?? '';
  const isMarked = (container: Readonly<Fields>) =>
    !['', 'runtime/default'].includes(markOf(container)) &&
    !markOf(container).startsWith('localhost/');
  const typeOf = (container: Readonly<Fields>) =>
    ofContext(contextOf(container)) || (isMarked(container) ? 'Unconfined' : '');
  const ofPod = ofContext(contextOf(pod.spec));
  const names = containersThat(pod, (container) => isWrong(typeOf(container)));
  const marks = pod.containers
    .filter(isMarked)
    .map((each) => `${appArmorPrefix}${textAt(each, 'name')}="${markOf(each)}"`)
    .sort();
  const setters = [
    ...(isWrong(ofPod) ? ['pod'] : []),
    ...(names.length === 0 ? [] : [named('container', names)]),
    ...(marks.length === 0 ? [] : [`annotation${marks.length === 1 ? '' : 's'}`]),
  ];
  if (setters.length === 0) return undefined;
  const types = [ofPod, ...pod.containers.map(typeOf)].filter(isWrong);
  const values = [...[...new Set(types)].sort(), ...marks];
  const list = values.map((value) => `"${value}"`).join(', ');
  return {
    reason: `forbidden AppArmor profile${values.length === 1 ? '' : 's'}`,
    detail: `${setters.join(' and ')} must not set AppArmor profile type to ${list}`,
  };
}

const defaultCapabilities = new Set(
  'AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT'.split(
    ' ',
  ),
);

function addedCapabilities(pod: JudgedPod): Violation | undefined {
  const detail = forbiddenAdditions(pod, defaultCapabilities);
  return detail === '' ? undefined : { reason: 'non-default capabilities', detail };
}

function hostNamespaces({ spec }: JudgedPod): Violation | undefined {
  const shared = ['hostNetwork', 'hostPID', 'hostIPC'].filter((field) => spec[field] === true);
  if (shared.length === 0) return undefined;
  return { reason: 'host namespaces', detail: shared.map((field) => `${field}=true`).join(', ') };
}

function hostPaths({ spec }: JudgedPod): Violation | undefined {
  const names = listAt(spec, 'volumes')
    .filter((volume) => volume.hostPath !== undefined)
    .map((volume) => textAt(volume, 'name'));
  return names.length === 0
    ? undefined
    : { reason: 'hostPath volumes', detail: named('volume', names) };
}

function hostPorts(pod: JudgedPod): Violation | undefined {
  const portsOf = (container: Readonly<Fields>) =>
    listAt(container, 'ports')
      .map((port) => Number(port.hostPort ?? 0))
      .filter((port) => port !== 0);
  const names = containersThat(pod, (container) => portsOf(container).length > 0);
  if (names.length === 0) return undefined;
  const ports = [...new Set(pod.containers.flatMap(portsOf))].map(String).sort();
  const uses = names.length === 1 ? 'uses' : 'use';
  const list = `hostPort${ports.length === 1 ? '' : 's'} ${ports.join(', ')}`;
  return { reason: 'hostPort', detail: `${named('container', names)} ${uses} ${list}` };
}

function probeHosts(pod: JudgedPod): Violation | undefined {
  const hostsOf = (container: Readonly<Fields>) => {
    const lifecycle = objectAt(container, 'lifecycle');
    const handlers = [
      ...['livenessProbe', 'readinessProbe', 'startupProbe'].map((probe) =>
        objectAt(container, probe),
      ),
      ...['postStart', 'preStop'].map((moment) => objectAt(lifecycle, moment)),
    ];
    return handlers.flatMap((handler) =>
      ['httpGet', 'tcpSocket']
        .map((action) => textAt(objectAt(handler, action), 'host'))
        .filter((host) => host !== ''),
    );
  };
  const names = containersThat(pod, (container) => hostsOf(container).length > 0);
  if (names.length === 0) return undefined;
  const hosts = [...new Set(pod.containers.flatMap(hostsOf))].sort();
  const uses = names.length === 1 ? 'uses' : 'use';
  return {
    reason: 'probe or lifecycle host',
    detail: `${named('container', names)} ${uses} probe or lifecycle host${hosts.length === 1 ? '' : 's'} ${quoted(hosts)}`,
  };
}

function privileged(pod: JudgedPod): Violation | undefined {
  return containerRule(
    'privileged',
    (container) => contextOf(container).privileged === true,
    'must not set securityContext.privileged=true',
  )(pod);
}

/** A pod with users of its own may see /proc as it is. */
function procMount(pod: JudgedPod): Violation | undefined {
  return hasOwnUsers(pod) ? undefined : unmaskedProc(pod);
}

const allowedTypes = [
  '',
  'container_t',
  'container_init_t',
  'container_kvm_t',
  'container_engine_t',
];

function seLinux(pod: JudgedPod): Violation | undefined {
  const optionsOf = (context: Readonly<Fields>) => objectAt(context, 'seLinuxOptions');
  const hasType = (context: Readonly<Fields>) =>
    !allowedTypes.includes(textAt(optionsOf(context), 'type'));
  const has = (field: string) => (context: Readonly<Fields>) =>
    textAt(optionsOf(context), field) !== '';
  const isWrong = (context: Readonly<Fields>) =>
    hasType(context) || has('user')(context) || has('role')(context);
  const setters = settersOf(pod, isWrong);
  if (setters === '') return undefined;
  const contexts = [contextOf(pod.spec), ...pod.containers.map(contextOf)];
  const types = [
    ...new Set(contexts.filter(hasType).map((each) => textAt(optionsOf(each), 'type'))),
  ];
  const problems = [
    ...(types.length === 0 ? [] : [`type${types.length === 1 ? '' : 's'} ${quoted(types.sort())}`]),
    ...(['user', 'role'] as const)
      .filter((field) => contexts.some(has(field)))
      .map((field) => `${field} may not be set`),
  ];
  return {
    reason: 'seLinuxOptions',
    detail: `${setters} set forbidden securityContext.seLinuxOptions: ${problems.join('; ')}`,
  };
}

function unconfinedSeccomp(pod: JudgedPod): Violation | undefined {
  const setters = settersOf(pod, isUnconfined);
  if (setters === '') return undefined;
  return {
    reason: 'seccompProfile',
    detail: `${setters} must not set securityContext.seccompProfile.type to "Unconfined"`,
  };
}

const safeSysctls = new Set([
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
  'net.ipv4.tcp_rmem',
  'net.ipv4.tcp_wmem',
]);

function sysctls({ spec }: JudgedPod): Violation | undefined {
  const names = listAt(contextOf(spec), 'sysctls')
    .map((each) => textAt(each, 'name'))
    .filter((name) => !safeSysctls.has(name));
  return names.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: names.join(', ') };
}

function hostProcess(pod: JudgedPod): Violation | undefined {
  const setters = settersOf(
    pod,
    (context) => objectAt(context, 'windowsOptions').hostProcess === true,
  );
  if (setters === '') return undefined;
  return {
    reason: 'hostProcess',
    detail: `${setters} must not set securityContext.windowsOptions.hostProcess=true`,
  };
}
