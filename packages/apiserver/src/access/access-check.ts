import { ApiError } from '../status/api-error.ts';
import type { AccessAttributes, Authorizer } from './authorizer.ts';
import { forbiddenText } from './forbidden-text.ts';

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
