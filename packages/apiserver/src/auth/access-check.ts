import type { RequestInfo } from '../http/request-info.ts';
import { ApiError } from '../status/api-error.ts';
import type { AccessAttributes, Authorizer } from './authorizer.ts';
import { forbiddenText } from './forbidden-text.ts';
import type { UserInfo } from './user.ts';

/** What a request asks for, as the rules judge it. */
export function requestAttributes(user: UserInfo, info: RequestInfo): AccessAttributes {
  const { isResource, path, verb, group, version, resource, subresource, access } = info;
  return { user, isResource, path, verb, group, version, resource, subresource, ...access };
}

/** Throws the API's 403 unless the user may. */
export function demandAccess(authorizer: Authorizer, attributes: AccessAttributes): void {
  const decision = authorizer.authorize(attributes);
  if (!decision.isAllowed) throw refusal(attributes, decision.reason);
}

/** The API's 403 for something that was asked for in vain. */
export function refusal(attributes: AccessAttributes, reason: string): ApiError {
  const { user, group, resource, name } = attributes;
  return new ApiError(403, 'Forbidden', forbiddenText(user, attributes, reason), {
    ...(name === '' ? {} : { name }),
    ...(group === '' ? {} : { group }),
    ...(resource === '' ? {} : { kind: resource }),
  });
}
