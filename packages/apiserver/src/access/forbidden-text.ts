import type { UserInfo } from './user.ts';

interface AccessPlace {
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
  const name = JSON.stringify(user.username);
  if (!place.isResource) {
    return `forbidden: ${clean(`User ${name} cannot ${place.verb} path ${JSON.stringify(place.path)}`)}${why}`;
  }
  const resource = place.group === '' ? place.resource : `${place.resource}.${place.group}`;
  const subject = place.name === '' ? resource : `${resource} "${place.name}"`;
  const what = place.subresource === '' ? place.resource : `${place.resource}/${place.subresource}`;
  const where =
    place.namespace === ''
      ? 'at the cluster scope'
      : `in the namespace ${JSON.stringify(place.namespace)}`;
  const said = `User ${name} cannot ${place.verb} resource ${JSON.stringify(what)} in API group ${JSON.stringify(place.group)} ${where}`;
  return `${subject} is forbidden: ${clean(said)}${why}`;
}

/** Names come from strangers, and the text may end in a browser. */
function clean(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
