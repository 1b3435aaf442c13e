import type { DynamicObject } from '@waygate/schema';
import type { AccessAttributes, Authorizer } from '../access/authorizer.ts';
import { missingText, RbacAuthorizer } from '../access/rbac-authorizer.ts';
import type { PolicyRule, RoleRef } from '../access/rbac-rules.ts';
import type { UserInfo } from '../access/user.ts';
import { type Fields, objectAt, textAt } from '../builtins/fields.ts';
import type { Core } from '../core/core.ts';
import { decodeBody } from '../decode/request-body.ts';
import { formatTime } from '../decode/time-text.ts';
import { answerJson } from '../http/answer.ts';
import type { Exchange } from '../http/exchange.ts';
import { trackUpdate } from '../managed/tracking.ts';
import type { Resource } from '../resources/resource.ts';
import { decodeObject } from '../rest/object-decoder.ts';
import type { ResourceHandler } from '../rest/resource-dispatcher.ts';
import { writeOptions } from '../rest/write-options.ts';
import { badRequest, invalidObject } from '../status/api-error.ts';
import { accessQuestionProblems, passedOver } from './access-question.ts';
import type { Authenticator } from './authenticator.ts';
import type { TokenIssuer } from './token-issuer.ts';
import { issueToken } from './token-request.ts';

interface ReviewServices {
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly tokens: TokenIssuer;
}

const allRules: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

const authorization = 'authorization.k8s.io';
const authentication = 'authentication.k8s.io';

/** Endpoints that answer a question with the question: nothing is stored. */
export function reviewHandlers(services: ReviewServices): ReadonlyMap<string, ResourceHandler> {
  const access =
    (make: (object: DynamicObject, exchange: Exchange) => UserInfo): ResourceHandler =>
    async (core, exchange, resource) => {
      const object = await readReview(core, exchange, resource);
      answerAccess(services, exchange, object, make(object, exchange));
    };
  const subject = (object: DynamicObject): UserInfo => {
    const spec = objectAt(object, 'spec');
    return {
      username: textAt(spec, 'user'),
      uid: textAt(spec, 'uid'),
      groups: (spec.groups ?? []) as string[],
      extra: objectAt(spec, 'extra') as Record<string, string[]>,
    };
  };
  return new Map<string, ResourceHandler>([
    [`selfsubjectaccessreviews.${authorization}`, access((_object, exchange) => exchange.user)],
    [`subjectaccessreviews.${authorization}`, access(subject)],
    [`localsubjectaccessreviews.${authorization}`, access(subject)],
    [
      `selfsubjectrulesreviews.${authorization}`,
      (core, exchange, resource) => answerRules(services, core, exchange, resource),
    ],
    [
      `tokenreviews.${authentication}`,
      (core, exchange, resource) => answerToken(services, core, exchange, resource),
    ],
    [`selfsubjectreviews.${authentication}`, answerSelf],
    [
      'serviceaccounts/token',
      (core, exchange, resource) => issueToken(services.tokens, core, exchange, resource),
    ],
  ]);
}

async function readReview(
  core: Core,
  exchange: Exchange,
  resource: Resource,
  isTracked = true,
): Promise<DynamicObject> {
  const options = writeOptions(exchange, 'CreateOptions');
  const body = decodeBody(await exchange.bodyText(), exchange.contentType, resource.kind);
  const { object, warnings } = decodeObject(body, resource, options.fieldValidation);
  for (const warning of warnings) exchange.warn(warning);
  if (isTracked) {
    trackUpdate(resource, undefined, object, {
      fieldManager: options.fieldManager,
      subresource: '',
      time: formatTime(core.now()),
    });
  }
  delete object.status;
  return object;
}

function answerAccess(
  services: ReviewServices,
  exchange: Exchange,
  object: DynamicObject,
  user: UserInfo,
): void {
  const spec = objectAt(object, 'spec');
  const problems = accessQuestionProblems(object, exchange.info.namespace);
  if (problems.length > 0) throw invalidObject({ group: authorization, kind: '' }, '', problems);
  const ignored = passedOver(spec);
  const decision = services.authorizer.authorize(attributesOf(user, spec));
  object.status = {
    allowed: decision.isAllowed,
    ...(decision.reason === '' ? {} : { reason: decision.reason }),
    ...(ignored === '' ? {} : { evaluationError: ignored }),
  };
  answerJson(exchange, 201, object);
}

function attributesOf(user: UserInfo, spec: Fields): AccessAttributes {
  const path = objectAt(spec, 'nonResourceAttributes');
  const place = objectAt(spec, 'resourceAttributes');
  const isResource = spec.resourceAttributes !== undefined;
  return {
    user,
    isResource,
    verb: textAt(isResource ? place : path, 'verb'),
    path: textAt(path, 'path'),
    group: textAt(place, 'group'),
    version: textAt(place, 'version'),
    resource: textAt(place, 'resource'),
    subresource: textAt(place, 'subresource'),
    namespace: textAt(place, 'namespace'),
    name: textAt(place, 'name'),
  };
}

async function answerRules(
  services: ReviewServices,
  core: Core,
  exchange: Exchange,
  resource: Resource,
): Promise<void> {
  const object = await readReview(core, exchange, resource, false);
  const namespace = textAt(objectAt(object, 'spec'), 'namespace');
  if (namespace === '') throw badRequest('no namespace on request');
  const missing: RoleRef[] = [];
  const rules =
    services.authorizer instanceof RbacAuthorizer
      ? [...services.authorizer.rulesOf(exchange.user, namespace, missing)].map(({ rule }) => rule)
      : allRules;
  answerJson(exchange, 201, {
    kind: object.kind,
    apiVersion: object.apiVersion,
    metadata: {},
    spec: {},
    status: {
      resourceRules: rules.filter((rule) => (rule.resources ?? []).length > 0),
      nonResourceRules: rules.filter(
        (rule) => 'nonResourceURLs' in rule && (rule.nonResourceURLs ?? []).length > 0,
      ),
      incomplete: false,
      // What is not known is said, so that nobody takes the list for the whole.
      ...(missing.length === 0 ? {} : { evaluationError: missingText(missing) }),
    },
  });
}

async function answerToken(
  services: ReviewServices,
  core: Core,
  exchange: Exchange,
  resource: Resource,
): Promise<void> {
  const object = await readReview(core, exchange, resource);
  const spec = objectAt(object, 'spec');
  const token = textAt(spec, 'token');
  if (token === '') throw badRequest('token is required for TokenReview in authentication');
  object.status = tokenStatus(services, token, (spec.audiences ?? []) as string[]);
  answerJson(exchange, 201, object);
}

function tokenStatus(services: ReviewServices, token: string, wanted: readonly string[]): unknown {
  const targets = wanted.length === 0 ? services.tokens.audiences : wanted;
  const check = services.tokens.check(token);
  const user = check.kind === 'valid' ? check.user : services.authenticator.readToken(token);
  if (user === undefined) return { user: {}, error: 'invalid bearer token' };
  const audiences = check.kind === 'valid' ? check.claims.aud : services.tokens.audiences;
  const shared = targets.filter((each) => audiences.includes(each));
  if (shared.length === 0) {
    const list = (values: readonly string[]) =>
      `[${values.map((each) => JSON.stringify(each)).join(' ')}]`;
    return {
      user: {},
      error: `[invalid bearer token, token audiences ${list(audiences)} is invalid for the target audiences ${list(targets)}]`,
    };
  }
  return { authenticated: true, user: userObject(user), audiences: shared };
}

function userObject(user: UserInfo): Record<string, unknown> {
  return {
    username: user.username,
    ...(user.uid === '' ? {} : { uid: user.uid }),
    groups: user.groups,
    ...(Object.keys(user.extra).length === 0 ? {} : { extra: user.extra }),
  };
}

async function answerSelf(core: Core, exchange: Exchange, resource: Resource): Promise<void> {
  const object = await readReview(core, exchange, resource, false);
  object.metadata = { creationTimestamp: formatTime(core.now()) };
  object.status = { userInfo: userObject(exchange.user) };
  answerJson(exchange, 201, object);
}
