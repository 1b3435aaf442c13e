import { dnsLabelProblems, dnsSubdomainProblems } from '@waygate/text';
import type { UserInfo } from '../access/user.ts';

/** What of the API is asked for the right to act as somebody. */
interface ImpersonatedSubject {
  readonly resource: 'users' | 'serviceaccounts' | 'nodes';
  readonly namespace: string;
  readonly name: string;
}

/**
 * One way to act as another. The constrained ones want a right for the person and a right for what is
 * done in their name; the plain one is the old `impersonate`, which allows everything at once.
 */
export type Mode =
  | { readonly isConstrained: false; readonly subject: ImpersonatedSubject }
  | {
      readonly isConstrained: true;
      readonly name: string;
      readonly subject: ImpersonatedSubject;
      /** Whom the rules are asked about. */
      readonly requester: UserInfo;
      /** Why a value can never be taken on in this way; undefined when it can. */
      refuses(resource: string, value: string, key?: string): string | undefined;
    };

const nodePrefix = 'system:node:';
const accountPrefix = 'system:serviceaccount:';
const nodeNameKey = 'authentication.kubernetes.io/node-name';

/** The ways in which `requester` could act as `wanted`, the narrowest first. */
export function impersonationModes(wanted: UserInfo, requester: UserInfo): Mode[] {
  const account = serviceAccountOf(wanted.username);
  const node = nodeOf(wanted.username);
  const isNameOnly =
    wanted.uid === '' && wanted.groups.length === 0 && Object.keys(wanted.extra).length === 0;
  const user: ImpersonatedSubject = { resource: 'users', namespace: '', name: wanted.username };
  const modes: Mode[] = [];
  const add = (name: string, subject: ImpersonatedSubject, as = requester) =>
    modes.push({ isConstrained: true, name, subject, requester: as, refuses });
  if (node !== undefined && isNameOnly) {
    const isOwn =
      serviceAccountOf(requester.username) !== undefined &&
      requester.extra[nodeNameKey]?.length === 1 &&
      requester.extra[nodeNameKey][0] === node;
    // The right holds for whichever node the account runs on, so it is asked for all of them.
    if (isOwn) add('associated-node', { resource: 'nodes', namespace: '', name: '*' });
    add('arbitrary-node', { resource: 'nodes', namespace: '', name: node });
  }
  if (account !== undefined && isNameOnly) {
    add('serviceaccount', { resource: 'serviceaccounts', ...account });
  }
  if (node === undefined && account === undefined) add('user-info', user);
  modes.push({
    isConstrained: false,
    subject: account === undefined ? user : { resource: 'serviceaccounts', ...account },
  });
  return modes;
}

function refuses(resource: string, value: string, key?: string): string | undefined {
  if (resource === 'groups' && value === 'system:masters')
    return 'impersonating the system:masters group is not allowed';
  if (resource !== 'userextras') return undefined;
  if (key === '') return 'impersonating the empty string key in extra is not allowed';
  if (key !== key?.toLowerCase())
    return `impersonating a non-lowercase key in extra is not allowed: ${JSON.stringify(key)}`;
  return undefined;
}

/** The account that a user name stands for. */
export function serviceAccountOf(
  username: string,
): { readonly namespace: string; readonly name: string } | undefined {
  if (!username.startsWith(accountPrefix)) return undefined;
  const [namespace = '', name = '', ...more] = username.slice(accountPrefix.length).split(':');
  if (more.length > 0) return undefined;
  if (dnsLabelProblems(namespace).length > 0 || dnsSubdomainProblems(name).length > 0)
    return undefined;
  return { namespace, name };
}

function nodeOf(username: string): string | undefined {
  if (!username.startsWith(nodePrefix)) return undefined;
  const name = username.slice(nodePrefix.length);
  return dnsSubdomainProblems(name).length > 0 ? undefined : name;
}
