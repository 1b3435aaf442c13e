import type { Environment } from '@marcbachmann/cel-js';
import type { AccessAttributes, Authorizer } from '../auth/authorizer.ts';
import type { UserInfo } from '../auth/user.ts';

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

/** Asks what somebody may do, inside an expression: the variable `authorizer`. */
export class CelAuthorizer {
  readonly authorizer: Authorizer | undefined;
  readonly user: UserInfo;
  /** The very resource of the request. */
  readonly requestResource: CelAccess | undefined;

  constructor(
    authorizer?: Authorizer,
    user: UserInfo = { username: '', uid: '', groups: [], extra: {} },
    request?: Partial<Place>,
  ) {
    this.authorizer = authorizer;
    this.user = user;
    this.requestResource = request === undefined ? undefined : new CelAccess(this, request);
  }
}

/** A place that is being described step by step. */
export class CelAccess {
  readonly by: CelAuthorizer;
  readonly place: Place;

  constructor(by: CelAuthorizer = new CelAuthorizer(), place: Partial<Place> = {}) {
    this.by = by;
    this.place = { ...nowhere, ...place };
  }
}

class CelPathAccess extends CelAccess {}
class CelGroupAccess extends CelAccess {}

class CelDecision {
  readonly isAllowed: boolean;
  readonly reason: string;

  constructor(isAllowed = false, reason = '') {
    this.isAllowed = isAllowed;
    this.reason = reason;
  }
}

function check({ by, place }: CelAccess, verb: string): CelDecision {
  const decision = by.authorizer?.authorize({ ...place, user: by.user, verb });
  return new CelDecision(decision?.isAllowed ?? false, decision?.reason ?? '');
}

/** `authorizer.group('apps').resource('deployments').check('get').allowed()`, as Kubernetes has it. */
export function registerAuthorizerFunctions(environment: Environment): void {
  environment.registerType('PathCheck', CelPathAccess);
  environment.registerType('GroupCheck', CelGroupAccess);
  environment.registerType('ResourceCheck', CelAccess);
  environment.registerType('Authorizer', {
    ctor: CelAuthorizer,
    fields: { requestResource: 'ResourceCheck' },
  });
  environment.registerType('Decision', CelDecision);
  environment.registerFunction(
    'Authorizer.path(string): PathCheck',
    (by: CelAuthorizer, path: string) => {
      if (path === '') throw new Error('path must not be empty');
      return new CelPathAccess(by, { isResource: false, path, version: '' });
    },
  );
  environment.registerFunction(
    'Authorizer.group(string): GroupCheck',
    (by: CelAuthorizer, group: string) => new CelGroupAccess(by, { group }),
  );
  environment.registerFunction(
    'Authorizer.serviceAccount(string, string): Authorizer',
    ({ authorizer }: CelAuthorizer, namespace: string, name: string) =>
      new CelAuthorizer(authorizer, {
        username: `system:serviceaccount:${namespace}:${name}`,
        uid: '',
        groups: [
          'system:serviceaccounts',
          `system:serviceaccounts:${namespace}`,
          'system:authenticated',
        ],
        extra: {},
      }),
  );
  environment.registerFunction(
    'GroupCheck.resource(string): ResourceCheck',
    ({ by, place }: CelAccess, resource: string) => new CelAccess(by, { ...place, resource }),
  );
  for (const part of ['subresource', 'namespace', 'name'] as const) {
    environment.registerFunction(
      `ResourceCheck.${part}(string): ResourceCheck`,
      ({ by, place }: CelAccess, value: string) => new CelAccess(by, { ...place, [part]: value }),
    );
  }
  environment.registerFunction('ResourceCheck.check(string): Decision', check);
  environment.registerFunction('PathCheck.check(string): Decision', check);
  environment.registerFunction(
    'Decision.allowed(): bool',
    ({ isAllowed }: CelDecision) => isAllowed,
  );
  environment.registerFunction('Decision.reason(): string', ({ reason }: CelDecision) => reason);
  environment.registerFunction('Decision.errored(): bool', () => false);
  environment.registerFunction('Decision.error(): string', () => '');
}
