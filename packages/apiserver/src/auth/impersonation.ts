import type { IncomingMessage } from 'node:http';
import type { RequestInfo } from '../http/request-info.ts';
import { ApiError, badRequest } from '../status/api-error.ts';
import type { Authorizer } from './authorizer.ts';
import { forbiddenText } from './forbidden-text.ts';
import { anonymousUser, type UserInfo } from './user.ts';

const serviceAccount = /^system:serviceaccount:([^:]+):([^:]+)$/;

/** The user that a request acts as, when it asks to act as another and may. */
export function impersonate(
  user: UserInfo,
  request: IncomingMessage,
  info: RequestInfo,
  authorizer: Authorizer,
): UserInfo {
  const name = header(request, 'impersonate-user')[0] ?? '';
  const groups = header(request, 'impersonate-group');
  const uid = header(request, 'impersonate-uid')[0] ?? '';
  const extra = extraHeaders(request);
  if (name === '') {
    if (groups.length === 0 && uid === '' && Object.keys(extra).length === 0) return user;
    const groupText =
      groups.length === 0
        ? '[]string(nil)'
        : `[]string{${groups.map((each) => JSON.stringify(each)).join(', ')}}`;
    throw badRequest(
      `requested &user.DefaultInfo{Name:"", UID:${JSON.stringify(uid)}, Groups:${groupText}, Extra:${extraText(extra)}} without impersonating a user name`,
    );
  }
  const account = serviceAccount.exec(name);
  const checks = [
    account === null
      ? { resource: 'users', group: '', namespace: '', name }
      : {
          resource: 'serviceaccounts',
          group: '',
          namespace: account[1] as string,
          name: account[2] as string,
        },
    ...groups.map((each) => ({ resource: 'groups', group: '', namespace: '', name: each })),
    ...(uid === ''
      ? []
      : [{ resource: 'uids', group: 'authentication.k8s.io', namespace: '', name: uid }]),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value) => ({
        resource: 'userextras',
        subresource: key,
        group: 'authentication.k8s.io',
        namespace: '',
        name: value,
      })),
    ),
  ];
  for (const check of checks) {
    const decision = authorizer.authorize({
      user,
      verb: 'impersonate',
      isResource: true,
      path: '',
      version: 'v1',
      subresource: '',
      ...check,
    });
    if (!decision.isAllowed) throw refused(user, info);
  }
  return actingUser(name, uid, groups, extra, account);
}

function actingUser(
  name: string,
  uid: string,
  groups: readonly string[],
  extra: UserInfo['extra'],
  account: RegExpExecArray | null,
): UserInfo {
  const isAnonymous = name === anonymousUser.username;
  const base =
    groups.length === 0 && account !== null
      ? ['system:serviceaccounts', `system:serviceaccounts:${account[1]}`]
      : [...groups];
  const last = isAnonymous ? 'system:unauthenticated' : 'system:authenticated';
  return {
    username: name,
    uid,
    groups: base.includes(last) ? base : [...base, last],
    extra,
  };
}

/** The API first asks for the narrower right to act as a user in just this request. */
function refused(user: UserInfo, info: RequestInfo): ApiError {
  const place = { ...info, verb: `impersonate-on:user-info:${info.verb}` };
  return new ApiError(403, 'Forbidden', forbiddenText(user, place, ''), {
    ...(info.name === '' ? {} : { name: info.name }),
    ...(info.group === '' ? {} : { group: info.group }),
    ...(info.resource === '' ? {} : { kind: info.resource }),
  });
}

function header(request: IncomingMessage, name: string): string[] {
  const values = request.headersDistinct[name] ?? [];
  return values.filter((each) => each !== '');
}

function extraHeaders(request: IncomingMessage): Record<string, string[]> {
  const extra: Record<string, string[]> = {};
  for (const name of Object.keys(request.headersDistinct)) {
    if (!name.startsWith('impersonate-extra-')) continue;
    const key = name.slice('impersonate-extra-'.length);
    extra[key] = header(request, name);
  }
  return extra;
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
