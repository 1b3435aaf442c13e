import { quantities } from '@waygate/schema';
import { CelDeclarations, type CelType, celTypes, kubernetesLibraries } from '@waygate/text';
import { authorizerLibrary, authorizerType, resourceCheckType } from './authorizer-library.ts';
import { declarations } from './environment.ts';
import { formatLibrary } from './format-library.ts';
import { jsonPatchLibrary, mutationType } from './mutation-types.ts';

const { boolType, dynType, intType, listOf, mapOf, stringType, structType, timestampType } =
  celTypes;

const object = (name: string, fields: Readonly<Record<string, CelType>>): CelType =>
  structType(`kubernetes.${name}`, new Map(Object.entries(fields)));

const texts = listOf(stringType);
const kind = object('GroupVersionKind', {
  group: stringType,
  version: stringType,
  kind: stringType,
});
const resource = object('GroupVersionResource', {
  group: stringType,
  version: stringType,
  resource: stringType,
});

const requestType = object('AdmissionRequest', {
  kind,
  resource,
  subResource: stringType,
  requestKind: kind,
  requestResource: resource,
  requestSubResource: stringType,
  name: stringType,
  namespace: stringType,
  operation: stringType,
  userInfo: object('UserInfo', {
    username: stringType,
    uid: stringType,
    groups: texts,
    extra: mapOf(stringType, texts),
  }),
  dryRun: boolType,
  options: dynType,
});

const namespaceType = object('Namespace', {
  metadata: object('NamespaceMetadata', {
    name: stringType,
    generateName: stringType,
    namespace: stringType,
    labels: mapOf(stringType, stringType),
    annotations: mapOf(stringType, stringType),
    UID: stringType,
    creationTimestamp: timestampType,
    deletionGracePeriodSeconds: intType,
    deletionTimestamp: timestampType,
    generation: intType,
    resourceVersion: stringType,
    finalizers: texts,
  }),
  spec: object('NamespaceSpec', { finalizers: texts }),
  status: object('NamespaceStatus', {
    conditions: listOf(
      object('NamespaceCondition', {
        status: stringType,
        type: stringType,
        lastTransitionTime: timestampType,
        message: stringType,
        reason: stringType,
      }),
    ),
    phase: stringType,
  }),
});

/** What an expression of a policy or webhook may use besides the request. */
export interface AdmissionScope {
  readonly hasParams: boolean;
  readonly hasAuthorizer: boolean;
  /** Mutations make objects and patches. */
  readonly isMutation: boolean;
}

const mutationDeclarations = CelDeclarations.of([
  ...kubernetesLibraries,
  authorizerLibrary,
  quantities,
  formatLibrary,
  jsonPatchLibrary,
]);

const known = new Map<string, CelDeclarations>();

/** The variables of an admission expression. */
export function admissionDeclarations(scope: AdmissionScope): CelDeclarations {
  const key = JSON.stringify([scope.hasParams, scope.hasAuthorizer, scope.isMutation]);
  let found = known.get(key);
  if (found === undefined) {
    found = (scope.isMutation ? mutationDeclarations : declarations).with(
      {
        object: dynType,
        oldObject: dynType,
        namespaceObject: namespaceType,
        request: requestType,
        ...(scope.hasParams ? { params: dynType } : {}),
        ...(scope.hasAuthorizer
          ? { authorizer: authorizerType, 'authorizer.requestResource': resourceCheckType }
          : {}),
      },
      scope.isMutation ? mutationType : undefined,
    );
    known.set(key, found);
  }
  return found;
}
