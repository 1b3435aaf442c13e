import type { UserInfo } from './user.ts';

export interface AccessPlace {
  readonly isResource: boolean;
  readonly path: string;
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

/** Why a request was refused, in the API's words. */
export function forbiddenText(user: UserInfo, place: AccessPlace, reason: string): string {
  const why = reason === '' ? '' : `: ${reason}`;
  if (!place.isResource) {
    return `forbidden: User ${JSON.stringify(user.username)} cannot ${place.verb} path ${JSON.stringify(place.path)}${why}`;
  }
  const resource = place.group === '' ? place.resource : `${place.resource}.${place.group}`;
  const subject = place.name === '' ? resource : `${resource} "${place.name}"`;
  const what = place.subresource === '' ? place.resource : `${place.resource}/${place.subresource}`;
  const where =
    place.namespace === ''
      ? 'at the cluster scope'
      : `in the namespace ${JSON.stringify(place.namespace)}`;
  return `${subject} is forbidden: User ${JSON.stringify(user.username)} cannot ${place.verb} resource ${JSON.stringify(what)} in API group ${JSON.stringify(place.group)} ${where}${why}`;
}
