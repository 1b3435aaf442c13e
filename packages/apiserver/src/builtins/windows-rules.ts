import { dnsSubdomainProblems } from '@waygate/text';
import { type FieldProblem, forbidden, invalid } from '../status/field-problem.ts';
import { type Fields, listAt, objectAt, textAt } from './fields.ts';
import { oneOf, textProblems } from './rule.ts';

/** The containers of a pod in the order in which the API visits them, each with its path. */
export function containersOf(spec: Fields, field: string): [container: Fields, at: string][] {
  return ['initContainers', 'containers', 'ephemeralContainers'].flatMap((kind) =>
    listAt(spec, kind).map((each, index): [Fields, string] => [each, `${field}.${kind}[${index}]`]),
  );
}

const maxCredentialKiB = 64;

/** `windowsOptions` of a security context, of a pod or of a container. */
export function windowsOptionProblems(context: Fields, parent: string): FieldProblem[] {
  if (context.windowsOptions === undefined) return [];
  const options = objectAt(context, 'windowsOptions');
  const field = `${parent}.windowsOptions`;
  const { gmsaCredentialSpecName: specName, gmsaCredentialSpec: spec, runAsUserName } = options;
  const problems: FieldProblem[] = [];
  if (specName !== undefined)
    problems.push(
      ...textProblems(`${field}.gmsaCredentialSpecName`, String(specName), dnsSubdomainProblems),
    );
  if (spec === '')
    problems.push(
      invalid(`${field}.gmsaCredentialSpec`, spec, 'gmsaCredentialSpec cannot be an empty string'),
    );
  else if (spec !== undefined && Buffer.byteLength(String(spec)) > maxCredentialKiB * 1024) {
    const why = `gmsaCredentialSpec size must be under ${maxCredentialKiB} KiB`;
    problems.push(invalid(`${field}.gmsaCredentialSpec`, spec, why));
  }
  if (runAsUserName === undefined) return problems;
  const name = String(runAsUserName);
  return [
    ...problems,
    ...userNameProblems(name).map((why) =>
      invalid(`${field}.runAsUserName`, name, `runAsUserName${why}`),
    ),
  ];
}

const label = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?';
const netBiosName = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const domainName = new RegExp(String.raw`^${label}(?:\.${label})*$`);
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const controlCharacter = /[\u0000-\u001f\u007f]/;
const maxDomainLength = 256;
const maxUserLength = 104;

/** What is wrong with `user` or `DOMAIN\user`, as the ends of sentences on it. */
function userNameProblems(name: string): string[] {
  if (name === '') return [' cannot be an empty string'];
  if (controlCharacter.test(name)) return [' cannot contain control characters'];
  const parts = name.split('\\');
  if (parts.length > 2) return [' cannot contain more than one backslash'];
  const user = parts.at(-1) ?? '';
  const domain = parts.length === 2 ? parts[0] : undefined;
  const problems: string[] = [];
  if ((domain ?? '').length >= maxDomainLength)
    problems.push(`'s Domain length must be under ${maxDomainLength} characters`);
  if (domain !== undefined && !netBiosName.test(domain) && !domainName.test(domain))
    problems.push("'s Domain doesn't match the NetBios nor the DNS format");
  if (user === '') problems.push("'s User cannot be empty");
  else if (user.length > maxUserLength)
    problems.push(`'s User length must not be longer than ${maxUserLength} characters`);
  if (/^[. ]+$/.test(user)) problems.push("'s User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user))
    problems.push(String.raw`'s User cannot contain the following characters: "/\:;|=,+*?<>@[]`);
  return problems;
}

function hostProcessOf(owner: Fields): unknown {
  return objectAt(objectAt(owner, 'securityContext'), 'windowsOptions').hostProcess;
}

/** Containers that run as processes of the host: all of a pod, or none. */
export function hostProcessProblems(spec: Fields, field: string): FieldProblem[] {
  const ofPod = hostProcessOf(spec);
  const containers = containersOf(spec, field);
  const problems = containers.flatMap(([container, at]) => {
    const own = hostProcessOf(container);
    if (ofPod === undefined || own === undefined || own === ofPod) return [];
    const why = `pod hostProcess value must be identical if both are specified, was ${ofPod}`;
    return [invalid(`${at}.securityContext.windowsOptions.hostProcess`, own, why)];
  });
  const count = containers.filter(([each]) => (hostProcessOf(each) ?? ofPod) === true).length;
  if (count === 0) return problems;
  if (count !== containers.length) {
    const why =
      'If pod contains any hostProcess containers then all containers must be HostProcess containers';
    problems.push(invalid(field, '', why));
  }
  if (spec.hostNetwork !== true) {
    const why = 'hostNetwork must be true if pod contains any hostProcess containers';
    problems.push(invalid(`${field}.hostNetwork`, false, why));
  }
  return problems;
}

const notOfWindowsPods = [
  'securityContext.appArmorProfile',
  'securityContext.seLinuxOptions',
  'hostUsers',
  'hostPID',
  'hostIPC',
  'securityContext.seccompProfile',
  'securityContext.fsGroup',
  'securityContext.fsGroupChangePolicy',
  'securityContext.sysctls',
  'shareProcessNamespace',
  'securityContext.runAsUser',
  'securityContext.runAsGroup',
  'securityContext.supplementalGroups',
  'securityContext.supplementalGroupsPolicy',
  'securityContext.seLinuxChangePolicy',
];
const notOfWindowsContainers = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
];

/** What the system that a pod asks for cannot do. */
export function systemProblems(spec: Fields, field: string): FieldProblem[] {
  if (spec.os === undefined) return [];
  const name = textAt(objectAt(spec, 'os'), 'name');
  const at = name === '' ? `${field}.os.name` : `${field}.os`;
  const problems = oneOf(at, name, ['linux', 'windows']);
  if (problems.length > 0) return problems;
  return name === 'linux' ? linuxProblems(spec, field) : windowsProblems(spec, field);
}

function linuxProblems(spec: Fields, field: string): FieldProblem[] {
  const owners: [Fields, string][] = [[spec, field], ...containersOf(spec, field)];
  const why = 'windows options cannot be set for a linux pod';
  return owners.flatMap(([owner, at]) =>
    objectAt(owner, 'securityContext').windowsOptions === undefined
      ? []
      : [forbidden(`${at}.securityContext.windowsOptions`, why)],
  );
}

function windowsProblems(spec: Fields, field: string): FieldProblem[] {
  const why = 'cannot be set for a windows pod';
  const isSet = (path: string) => {
    const [head = '', rest] = path.split('.');
    const value = rest === undefined ? spec[head] : objectAt(spec, head)[rest];
    if (head === 'hostPID' || head === 'hostIPC') return value === true;
    return rest === 'sysctls' ? Array.isArray(value) && value.length > 0 : value !== undefined;
  };
  return [
    ...notOfWindowsPods.filter(isSet).map((path) => forbidden(`${field}.${path}`, why)),
    ...containersOf(spec, field).flatMap(([container, at]) => {
      const context = objectAt(container, 'securityContext');
      return notOfWindowsContainers
        .filter((name) => context[name] !== undefined)
        .map((name) => forbidden(`${at}.securityContext.${name}`, why));
    }),
  ];
}
