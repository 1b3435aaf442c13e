import type { Container, PodSpec } from '@waygate/schema';

/** The volumes that the `restricted` profile allows. */
const volumeKinds = new Set([
  ...['configMap', 'csi', 'downwardAPI', 'emptyDir', 'ephemeral'],
  ...['persistentVolumeClaim', 'projected', 'secret'],
]);

interface SecurityContext {
  readonly allowPrivilegeEscalation?: boolean;
  readonly privileged?: boolean;
  readonly readOnlyRootFilesystem?: boolean;
  readonly runAsNonRoot?: boolean;
  readonly runAsUser?: number;
  readonly procMount?: string;
  readonly capabilities?: { readonly add?: readonly string[]; readonly drop?: readonly string[] };
  readonly seccompProfile?: { readonly type?: string };
  readonly seLinuxOptions?: object;
  readonly sysctls?: readonly unknown[];
}

/** What the `restricted` Pod Security Standard has against a Pod; a root that can be written, besides. */
export function restrictedProblems(spec: PodSpec): string[] {
  const pod = (spec.securityContext ?? {}) as SecurityContext;
  const problems: string[] = [];
  for (const host of ['hostNetwork', 'hostPID', 'hostIPC'] as const)
    if (spec[host]) problems.push(host);
  if (pod.sysctls !== undefined) problems.push('sysctls');
  for (const volume of spec.volumes ?? [])
    for (const kind of Object.keys(volume))
      if (kind !== 'name' && !volumeKinds.has(kind)) problems.push(`volume of kind ${kind}`);
  for (const container of [...(spec.initContainers ?? []), ...spec.containers])
    problems.push(...containerProblems(container, pod).map((one) => `${container.name}: ${one}`));
  return problems;
}

function containerProblems(container: Container, pod: SecurityContext): string[] {
  const own = (container.securityContext ?? {}) as SecurityContext;
  const problems: string[] = [];
  const need = (isFulfilled: boolean, what: string) => {
    if (!isFulfilled) problems.push(what);
  };
  need(own.privileged !== true, 'privileged');
  need(own.allowPrivilegeEscalation === false, 'allowPrivilegeEscalation');
  need(own.readOnlyRootFilesystem === true, 'readOnlyRootFilesystem');
  need(own.capabilities?.drop?.includes('ALL') === true, 'capabilities are kept');
  need(
    (own.capabilities?.add ?? []).every((name) => name === 'NET_BIND_SERVICE'),
    'capabilities',
  );
  need((own.runAsNonRoot ?? pod.runAsNonRoot) === true, 'runAsNonRoot');
  need((own.runAsUser ?? pod.runAsUser ?? 0) !== 0, 'runAsUser');
  const profile = (own.seccompProfile ?? pod.seccompProfile)?.type;
  need(profile === 'RuntimeDefault' || profile === 'Localhost', 'seccompProfile');
  need(own.procMount === undefined && own.seLinuxOptions === undefined, 'procMount or SELinux');
  need(
    (container.ports ?? []).every(({ hostPort }) => hostPort === undefined),
    'hostPort',
  );
  return problems;
}
