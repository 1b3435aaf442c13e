import {
  CelFailure,
  type CelLibrary,
  CelObject,
  type CelResult,
  type CelValue,
  celTypes,
  member,
} from '@waygate/text';
import type { AccessAttributes, Authorizer } from '../access/authorizer.ts';
import type { UserInfo } from '../access/user.ts';

const { boolType, stringType, structType } = celTypes;
const named = (name: string) => structType(`kubernetes.authorization.${name}`);

export const authorizerType = named('Authorizer');
export const resourceCheckType = named('ResourceCheck');
const pathCheckType = named('PathCheck');
const groupCheckType = named('GroupCheck');
const decisionType = named('Decision');

type Place = Omit<AccessAttributes, 'user' | 'verb'>;

const nowhere: Place = {
  isResource: true,
  path: '',
  group: '',
  version: '*',
  resource: '',
  subresource: '',
  namespace: '',
  name: '',
};

abstract class AuthorizationObject extends CelObject {
  equals(other: CelValue): boolean {
    return this === other;
  }
}

/** Asks what somebody may do, inside an expression: the variable `authorizer`. */
export class CelAuthorizer extends AuthorizationObject {
  readonly typeName = 'kubernetes.authorization.Authorizer';
  readonly authorizer: Authorizer;
  readonly user: UserInfo;

  constructor(authorizer: Authorizer, user: UserInfo) {
    super();
    this.authorizer = authorizer;
    this.user = user;
  }
}

/** A place that is being described step by step. */
export class CelAccess extends AuthorizationObject {
  readonly typeName: string;
  readonly by: CelAuthorizer;
  readonly place: Place;

  constructor(
    kind: 'PathCheck' | 'GroupCheck' | 'ResourceCheck',
    by: CelAuthorizer,
    place: Partial<Place>,
  ) {
    super();
    this.typeName = `kubernetes.authorization.${kind}`;
    this.by = by;
    this.place = { ...nowhere, ...place };
  }
}

class CelDecision extends AuthorizationObject {
  readonly typeName = 'kubernetes.authorization.Decision';
  readonly isAllowed: boolean;
  readonly reason: string;

  constructor(isAllowed: boolean, reason: string) {
    super();
    this.isAllowed = isAllowed;
    this.reason = reason;
  }
}

function check(access: CelValue, verb: CelValue): CelResult {
  const { by, place } = access as CelAccess;
  const decision = by.authorizer.authorize({ ...place, user: by.user, verb: verb as string });
  return new CelDecision(decision.isAllowed, decision.reason ?? '');
}

function serviceAccount(by: CelValue, namespace: CelValue, name: CelValue): CelResult {
  return new CelAuthorizer((by as CelAuthorizer).authorizer, {
    username: `system:serviceaccount:${namespace}:${name}`,
    uid: '',
    groups: [
      'system:serviceaccounts',
      `system:serviceaccounts:${namespace}`,
      'system:authenticated',
    ],
    extra: {},
  });
}

const part = (name: 'subresource' | 'namespace' | 'name') => [
  member(
    `resourcecheck_${name}`,
    [resourceCheckType, stringType],
    resourceCheckType,
    (access, value) => {
      const { by, place } = access as CelAccess;
      return new CelAccess('ResourceCheck', by, { ...place, [name]: value as string });
    },
  ),
];

/** The rules of this server do not look at selectors. */
const selector = (id: string) => [
  member(id, [resourceCheckType, stringType], resourceCheckType, (access) => access),
];

/** `authorizer.group('apps').resource('deployments').check('get').allowed()`, as Kubernetes has it. */
export const authorizerLibrary: CelLibrary = {
  functions: {
    path: [
      member('authorizer_path', [authorizerType, stringType], pathCheckType, (by, path) =>
        (path as string).trim() === ''
          ? new CelFailure('path must not be empty')
          : new CelAccess('PathCheck', by as CelAuthorizer, {
              isResource: false,
              path: path as string,
              version: '',
            }),
      ),
    ],
    group: [
      member(
        'authorizer_group',
        [authorizerType, stringType],
        groupCheckType,
        (by, group) => new CelAccess('GroupCheck', by as CelAuthorizer, { group: group as string }),
      ),
    ],
    serviceAccount: [
      member(
        'authorizer_serviceaccount',
        [authorizerType, stringType, stringType],
        authorizerType,
        serviceAccount,
      ),
    ],
    resource: [
      member(
        'groupcheck_resource',
        [groupCheckType, stringType],
        resourceCheckType,
        (access, resource) => {
          const { by, place } = access as CelAccess;
          return new CelAccess('ResourceCheck', by, { ...place, resource: resource as string });
        },
      ),
    ],
    subresource: part('subresource'),
    namespace: part('namespace'),
    name: part('name'),
    fieldSelector: selector('authorizer_fieldselector'),
    labelSelector: selector('authorizer_labelselector'),
    check: [
      member('pathcheck_check', [pathCheckType, stringType], decisionType, check),
      member('resourcecheck_check', [resourceCheckType, stringType], decisionType, check),
    ],
    errored: [member('decision_errored', [decisionType], boolType, () => false)],
    error: [member('decision_error', [decisionType], stringType, () => '')],
    allowed: [
      member(
        'decision_allowed',
        [decisionType],
        boolType,
        (decision) => (decision as CelDecision).isAllowed,
      ),
    ],
    reason: [
      member(
        'decision_reason',
        [decisionType],
        stringType,
        (decision) => (decision as CelDecision).reason,
      ),
    ],
  },
};
