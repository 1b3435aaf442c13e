import { apiVersionText, type Resource } from '../resources/resource.ts';
import { definitionName } from './custom-schemas.ts';

type Json = Record<string, unknown>;

const metaPackage = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const scaleName = 'io.k8s.api.autoscaling.v1.Scale';

type ParameterType = 'string' | 'boolean' | 'integer';

const listParameters: Readonly<Record<string, ParameterType>> = {
  allowWatchBookmarks: 'boolean',
  continue: 'string',
  fieldSelector: 'string',
  labelSelector: 'string',
  limit: 'integer',
  resourceVersion: 'string',
  resourceVersionMatch: 'string',
  sendInitialEvents: 'boolean',
  shardSelector: 'string',
  timeoutSeconds: 'integer',
  watch: 'boolean',
};
const writeParameters: Readonly<Record<string, ParameterType>> = {
  dryRun: 'string',
  fieldManager: 'string',
  fieldValidation: 'string',
};
const deleteParameters: Readonly<Record<string, ParameterType>> = {
  dryRun: 'string',
  gracePeriodSeconds: 'integer',
  ignoreStoreReadErrorWithClusterBreakingPotential: 'boolean',
  orphanDependents: 'boolean',
  propagationPolicy: 'string',
};

function queryParameters(types: Readonly<Record<string, ParameterType>>): Json[] {
  return Object.entries(types)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, type]) => ({ name, in: 'query', schema: { type, uniqueItems: true } }));
}

function pathParameters(...names: readonly string[]): Json[] {
  const schema = { type: 'string', uniqueItems: true };
  return names.map((name) => ({ name, in: 'path', required: true, schema }));
}

const bodyTypes = ['application/json', 'application/yaml'];
const patchTypes = [
  'application/apply-patch+yaml',
  'application/json-patch+json',
  'application/merge-patch+json',
];

function content(name: string, types: readonly string[] = bodyTypes): Json {
  const schema = { $ref: `#/components/schemas/${name}` };
  return Object.fromEntries(types.map((type) => [type, { schema }]));
}

const codeWords: Readonly<Record<string, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted' };

function responses(name: string, ...codes: readonly number[]): Json {
  return {
    ...Object.fromEntries(
      codes.map((code) => [code, { description: codeWords[code], content: content(name) }]),
    ),
    401: { description: 'Unauthorized' },
  };
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** What a method does, by the word that the ids of operations begin with. */
interface Method {
  readonly word: string;
  readonly action: string;
  readonly description: string;
  readonly parameters?: Readonly<Record<string, ParameterType>>;
  readonly body?: Json;
  readonly responses: Json;
}

/** The paths of one custom resource in a v3 document, named as the API names them. */
export function customPaths(resource: Resource): Json {
  const { group, version, kind, plural, isNamespaced } = resource;
  const parts = group.split('.');
  const tag = `${parts[0]}${parts.slice(1).map(capital).join('')}_${version}`;
  const prefix = `${parts.map(capital).join('')}${capital(version)}`;
  const scope = isNamespaced ? 'Namespaced' : '';
  const own = definitionName(resource);
  const operation = (method: Method, idEnd: string, isAlone = false): Json => ({
    tags: [tag],
    description: method.description,
    operationId: `${method.word}${prefix}${idEnd}`,
    ...(method.parameters === undefined || isAlone
      ? {}
      : { parameters: queryParameters(method.parameters) }),
    ...(method.body === undefined ? {} : { requestBody: method.body }),
    responses: method.responses,
    'x-kubernetes-action': method.action,
    'x-kubernetes-group-version-kind': { group, version, kind },
  });
  const list: Method = {
    word: 'list',
    action: 'list',
    description: `list objects of kind ${kind}`,
    parameters: listParameters,
    responses: responses(`${own}List`, 200),
  };
  const item = itemMethods(own, `the specified ${kind}`);
  const place = isNamespaced ? ['namespace'] : [];
  const pretty = queryParameters({ pretty: 'string' });
  const base = `/apis/${apiVersionText(resource)}`;
  const collection = `${base}/${isNamespaced ? 'namespaces/{namespace}/' : ''}${plural}`;
  const itemParameters = [...pathParameters('name', ...place), ...pretty];
  const paths: Json = {
    [collection]: {
      get: operation(list, `${scope}${kind}`),
      post: operation(createMethod(own, kind), `${scope}${kind}`),
      delete: operation(deleteCollectionMethod(kind), `Collection${scope}${kind}`),
      parameters: [...pathParameters(...place), ...pretty],
    },
    [`${collection}/{name}`]: {
      get: operation(item.get, `${scope}${kind}`),
      put: operation(item.put, `${scope}${kind}`),
      delete: operation(deleteMethod(kind), `${scope}${kind}`),
      patch: operation(item.patch, `${scope}${kind}`),
      parameters: itemParameters,
    },
  };
  for (const name of resource.subresources.keys()) {
    const methods = itemMethods(
      name === 'scale' ? scaleName : own,
      `${name} of the specified ${kind}`,
    );
    const end = `${scope}${kind}${capital(name)}`;
    paths[`${collection}/{name}/${name}`] = {
      get: operation(methods.get, end),
      put: operation(methods.put, end),
      patch: operation(methods.patch, end),
      parameters: itemParameters,
    };
  }
  if (isNamespaced) {
    // What all operations of a path take stands at the path.
    paths[`${base}/${plural}`] = {
      get: operation(list, `${kind}ForAllNamespaces`, true),
      parameters: queryParameters({ ...listParameters, pretty: 'string' }),
    };
  }
  return paths;
}

function itemMethods(name: string, what: string): Record<'get' | 'put' | 'patch', Method> {
  return {
    get: {
      word: 'read',
      action: 'get',
      description: `read ${what}`,
      parameters: { resourceVersion: 'string' },
      responses: responses(name, 200),
    },
    put: {
      word: 'replace',
      action: 'put',
      description: `replace ${what}`,
      parameters: writeParameters,
      body: { content: content(name), required: true },
      responses: responses(name, 200, 201),
    },
    patch: {
      word: 'patch',
      action: 'patch',
      description: `partially update ${what}`,
      parameters: { ...writeParameters, force: 'boolean' },
      body: { content: content(`${metaPackage}.Patch`, patchTypes), required: true },
      responses: responses(name, 200),
    },
  };
}

function createMethod(name: string, kind: string): Method {
  return {
    word: 'create',
    action: 'post',
    description: `create a ${kind}`,
    parameters: writeParameters,
    body: { content: content(name), required: true },
    responses: responses(name, 200, 201, 202),
  };
}

function deleteMethod(kind: string): Method {
  return {
    word: 'delete',
    action: 'delete',
    description: `delete a ${kind}`,
    parameters: deleteParameters,
    body: { content: content(`${metaPackage}.DeleteOptions`) },
    responses: responses(`${metaPackage}.Status`, 200, 202),
  };
}

function deleteCollectionMethod(kind: string): Method {
  return {
    word: 'delete',
    action: 'deletecollection',
    description: `delete collection of ${kind}`,
    parameters: listParameters,
    responses: responses(`${metaPackage}.Status`, 200),
  };
}

/** The same paths for a v2 document, where bodies are parameters and types stand with them. */
export function customPathsV2(resource: Resource): Json {
  return Object.fromEntries(
    Object.entries(customPaths(resource) as Record<string, Json>).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(([method, value]) => [
          method,
          method === 'parameters' ? (value as Json[]).map(parameterV2) : operationV2(value as Json),
        ]),
      ),
    ]),
  );
}

function parameterV2({ schema, ...rest }: Json): Json {
  return { ...rest, ...(schema as Json) };
}

function operationV2({ requestBody, parameters, responses: answers, ...rest }: Json): Json {
  const body = requestBody as { content: Record<string, Json>; required?: boolean } | undefined;
  const bodyParameter =
    body === undefined
      ? []
      : [
          {
            name: 'body',
            in: 'body',
            ...(body.required === true ? { required: true } : {}),
            schema: referenceV2(Object.values(body.content)[0]?.schema),
          },
        ];
  return {
    ...rest,
    consumes: body === undefined ? bodyTypes : Object.keys(body.content),
    produces: bodyTypes,
    schemes: ['https'],
    parameters: [...bodyParameter, ...((parameters ?? []) as Json[]).map(parameterV2)],
    responses: Object.fromEntries(
      Object.entries(answers as Record<string, Json>).map(
        ([code, { content: found, ...answer }]) => [
          code,
          found === undefined
            ? answer
            : {
                ...answer,
                schema: referenceV2(Object.values(found as Record<string, Json>)[0]?.schema),
              },
        ],
      ),
    ),
  };
}

function referenceV2(schema: unknown): Json {
  const { $ref } = schema as { $ref: string };
  return { $ref: $ref.replace('#/components/schemas/', '#/definitions/') };
}
