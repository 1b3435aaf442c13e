import type { IncomingMessage } from 'node:http';
import { readPercentEscapes } from '@waygate/text';
import { demandAccess, refusal } from '../access/access-check.ts';
import type { AccessAttributes, Authorizer } from '../access/authorizer.ts';
import { anonymousUser, type UserInfo } from '../access/user.ts';
import { type RequestInfo, requestAttributes } from '../http/request-info.ts';
import { ApiError, badRequest } from '../status/api-error.ts';
import { impersonationModes, type Mode, serviceAccountOf } from './impersonation-mode.ts';

const authentication = 'authentication.k8s.io';

/** The user that a request acts as, when it asks to act as another and may. */
export function impersonate(
  user: UserInfo,
  request: IncomingMessage,
  info: RequestInfo,
  authorizer: Authorizer,
): UserInfo {
  const wanted = wantedUser(request);
  if (wanted === undefined) return user;
  const asked = requestAttributes(user, info);
  let first: ApiError | undefined;
  for (const mode of impersonationModes(wanted, user)) {
    try {
      return actAs(mode, wanted, asked, authorizer);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // The narrowest way is tried first, and it is the one that a refusal speaks of.
      first ??= error;
    }
  }
  throw first ?? refusal({ ...asked, verb: 'impersonate' }, '');
}

/** What the headers ask for; undefined when they ask for nothing. */
function wantedUser(request: IncomingMessage): UserInfo | undefined {
  const name = header(request, 'impersonate-user')[0] ?? '';
  const groups = header(request, 'impersonate-group');
  const uid = header(request, 'impersonate-uid')[0] ?? '';
  const extra = extraHeaders(request);
  if (name !== '') return { username: name, uid, groups, extra };
  if (groups.length === 0 && uid === '' && Object.keys(extra).length === 0) return undefined;
  const groupText =
    groups.length === 0
      ? '[]string(nil)'
      : `[]string{${groups.map((each) => JSON.stringify(each)).join(', ')}}`;
  throw badRequest(
    `requested &user.DefaultInfo{Name:"", UID:${JSON.stringify(uid)}, Groups:${groupText}, Extra:${extraText(extra)}} without impersonating a user name`,
  );
}

/** Throws unless every part of the wanted user may be taken on in this way. */
function actAs(
  mode: Mode,
  wanted: UserInfo,
  asked: AccessAttributes,
  authorizer: Authorizer,
): UserInfo {
  const { user } = asked;
  if (mode.isConstrained) {
    demandAccess(authorizer, {
      ...asked,
      user: mode.requester,
      verb: `impersonate-on:${mode.name}:${asked.verb}`,
    });
  }
  const check = (
    group: string,
    resource: string,
    name: string,
    rest: { namespace?: string; subresource?: string } = {},
  ) => {
    const attributes = {
      user: mode.isConstrained ? mode.requester : user,
      verb: mode.isConstrained ? `impersonate:${mode.name}` : 'impersonate',
      isResource: true,
      path: '',
      version: 'v1',
      group,
      resource,
      name,
      subresource: rest.subresource ?? '',
      namespace: rest.namespace ?? '',
    };
    if (mode.isConstrained) {
      const why = mode.refuses(resource, name, rest.subresource);
      if (why !== undefined) throw refusal(attributes, why);
    }
    demandAccess(authorizer, attributes);
  };
  const group = mode.isConstrained ? authentication : '';
  check(group, mode.subject.resource, mode.subject.name, { namespace: mode.subject.namespace });
  if (wanted.uid !== '') check(authentication, 'uids', wanted.uid);
  for (const each of wanted.groups) check(group, 'groups', each);
  for (const [key, values] of Object.entries(wanted.extra)) {
    for (const value of values) check(authentication, 'userextras', value, { subresource: key });
  }
  return actingUser(mode, wanted);
}

function actingUser(mode: Mode, wanted: UserInfo): UserInfo {
  const account = serviceAccountOf(wanted.username);
  const base =
    mode.isConstrained && mode.subject.resource === 'nodes'
      ? ['system:nodes']
      : wanted.groups.length === 0 && account !== undefined
        ? ['system:serviceaccounts', `system:serviceaccounts:${account.namespace}`]
        : [...wanted.groups];
  const isAnonymous = wanted.username === anonymousUser.username;
  const last =
    isAnonymous || base.includes('system:unauthenticated')
      ? 'system:unauthenticated'
      : 'system:authenticated';
  return { ...wanted, groups: base.includes(last) ? base : [...base, last] };
}

function header(request: IncomingMessage, name: string): string[] {
  const { rawHeaders } = request;
  const values: string[] = [];
  // As they were sent: what a server makes of a header that comes twice differs by protocol.
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.toLowerCase() === name) values.push(rawHeaders[i + 1] as string);
  }
  return values.filter((each) => each !== '');
}

function extraHeaders(request: IncomingMessage): Record<string, string[]> {
  const extra: Record<string, string[]> = Object.create(null);
  for (const name of Object.keys(request.headers)) {
    if (!name.startsWith('impersonate-extra-')) continue;
    const key = readPercentEscapes(name.slice('impersonate-extra-'.length));
    extra[key] = [...(extra[key] ?? []), ...header(request, name)];
  }
  return { ...extra };
}

function extraText(extra: Record<string, string[]>): string {
  const keys = Object.keys(extra);
  if (keys.length === 0) return 'map[string][]string(nil)';
  const pairs = keys.map(
    (key) =>
      `${JSON.stringify(key)}:[]string{${(extra[key] ?? []).map((each) => JSON.stringify(each)).join(', ')}}`,
  );
  return `map[string][]string{${pairs.join(', ')}}`;
}
