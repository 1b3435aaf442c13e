import { pathSegmentProblems, readPercentEscapes } from '@waygate/text';
import type { AccessAttributes } from '../access/authorizer.ts';
import type { UserInfo } from '../access/user.ts';
import { parseFieldSelector } from '../selectors/field-selector.ts';

/** Where a request goes, read from its path, method and query alone. */
export interface RequestInfo {
  readonly isResource: boolean;
  readonly path: string;
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** What the request is authorized for: of a Namespace, itself; of a selection of one name, that name. */
  readonly access: { readonly namespace: string; readonly name: string };
  /** Segments behind the subresource, as in `/pods/x/proxy/a/b`. */
  readonly rest: readonly string[];
}

const verbs: Readonly<Record<string, string>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
  GET: 'get',
  HEAD: 'get',
};

export function requestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const plain: RequestInfo = {
    isResource: false,
    path,
    verb: method.toLowerCase(),
    group: '',
    version: '',
    resource: '',
    subresource: '',
    namespace: '',
    name: '',
    access: { namespace: '', name: '' },
    rest: [],
  };
  const segments = path.split('/').filter((segment) => segment !== '');
  const isCore = segments[0] === 'api';
  const groupLength = isCore ? 2 : 3;
  if ((!isCore && segments[0] !== 'apis') || segments.length <= groupLength) {
    // Group and version are still of use to answer for discovery documents.
    if (!isCore && segments[0] !== 'apis') return plain;
    return {
      ...plain,
      group: isCore ? '' : (segments[1] ?? ''),
      version: segments[isCore ? 1 : 2] ?? '',
    };
  }
  const group = isCore ? '' : (segments[1] as string);
  const version = segments[isCore ? 1 : 2] as string;
  let rest = segments.slice(groupLength).map(readPercentEscapes);
  let verb = verbs[method] ?? method.toLowerCase();
  let isWatchPath = false;
  if (rest[0] === 'watch' && rest.length > 1) {
    isWatchPath = true;
    rest = rest.slice(1);
  }
  let namespace = '';
  if (rest[0] === 'namespaces' && rest.length > 1) {
    namespace = rest[1] as string;
    const isOfNamespace = rest.length > 2 && (rest[2] === 'status' || rest[2] === 'finalize');
    if (rest.length > 2 && !isOfNamespace) rest = rest.slice(2);
  }
  const [resource = '', name = '', subresource = '', ...deeper] = rest;
  if (name === '') {
    if (verb === 'get') verb = 'list';
    else if (verb === 'delete') verb = 'deletecollection';
  }
  const asksWatch = isAsked(query.get('watch'));
  if (isWatchPath || ((verb === 'list' || verb === 'get') && asksWatch && name === ''))
    verb = 'watch';
  const isSelection = name === '' && !isWatchPath && (verb === 'list' || verb === 'watch');
  return {
    isResource: true,
    path,
    verb,
    group,
    version,
    resource,
    subresource,
    namespace: resource === 'namespaces' ? '' : namespace,
    name,
    access: { namespace, name: isSelection ? selectedName(query) : name },
    rest: deeper,
  };
}

/** What a request asks for, as the rules judge it. */
export function requestAttributes(user: UserInfo, info: RequestInfo): AccessAttributes {
  const { isResource, path, verb, group, version, resource, subresource, access } = info;
  return { user, isResource, path, verb, group, version, resource, subresource, ...access };
}

/** The one name that a field selector leaves; empty when it leaves several, or cannot be read. */
function selectedName(query: URLSearchParams): string {
  try {
    const terms = parseFieldSelector(query.get('fieldSelector') ?? '');
    const term = terms.find((each) => each.field === 'metadata.name' && each.isEqual);
    return term === undefined || pathSegmentProblems(term.value).length > 0 ? '' : term.value;
  } catch {
    // The list itself will refuse it.
    return '';
  }
}

/** Flags of a query are set by any value that does not say no. */
function isAsked(value: string | null): boolean {
  return value !== null && value.toLowerCase() !== 'false' && value !== '0';
}

export function isTrue(value: string | null): boolean {
  return value !== null && (value === '' || value === '1' || value.toLowerCase() === 'true');
}
