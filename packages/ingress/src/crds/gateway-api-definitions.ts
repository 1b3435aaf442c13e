import {
  age,
  type CustomResourceDefinition,
  type DefinitionParts,
  definition,
} from './definition.ts';
import {
  anything,
  conditions,
  listOf,
  oneOf,
  portNumber,
  record,
  type StructuralSchema,
  text,
  texts,
  whole,
} from './structural-schema.ts';

// The kinds of the Gateway API that the controller reads, with the defaults that routing depends on.
// A cluster should have the project's own definitions; these are for an API server that has none.

const group = 'gateway.networking.k8s.io';

const withDefault = (schema: StructuralSchema, value: unknown): StructuralSchema => ({
  ...schema,
  default: value,
});

const parentRef = record(
  {
    group: withDefault(text, group),
    kind: withDefault(text, 'Gateway'),
    namespace: text,
    name: text,
    sectionName: text,
    port: portNumber,
  },
  ['name'],
);

const backendRef = (properties: Record<string, StructuralSchema> = {}): StructuralSchema =>
  record(
    {
      group: withDefault(text, ''),
      kind: withDefault(text, 'Service'),
      name: text,
      namespace: text,
      port: portNumber,
      weight: withDefault({ type: 'integer', format: 'int32', minimum: 0, maximum: 1_000_000 }, 1),
      ...properties,
    },
    ['name'],
  );

const routeStatus = record({
  parents: listOf(
    record({ parentRef, controllerName: text, conditions }, ['parentRef', 'controllerName']),
  ),
});

const valueMatch = (kinds: string[], defaultKind: string): StructuralSchema =>
  record({ type: withDefault(oneOf(...kinds), defaultKind), name: text, value: text }, [
    'name',
    'value',
  ]);

const path = withDefault(
  record({
    type: withDefault(oneOf('Exact', 'PathPrefix', 'RegularExpression'), 'PathPrefix'),
    value: withDefault({ ...text, maxLength: 1024 }, '/'),
  }),
  { type: 'PathPrefix', value: '/' },
);

const httpMatch = record({
  path,
  headers: listOf(valueMatch(['Exact', 'RegularExpression'], 'Exact')),
  queryParams: listOf(valueMatch(['Exact', 'RegularExpression'], 'Exact')),
  method: oneOf('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH'),
});

const grpcMatch = record({
  method: record({
    type: withDefault(oneOf('Exact', 'RegularExpression'), 'Exact'),
    service: text,
    method: text,
  }),
  headers: listOf(valueMatch(['Exact', 'RegularExpression'], 'Exact')),
});

const filters = {
  type: 'array',
  maxItems: 16,
  items: anything,
} as const satisfies StructuralSchema;

function route(
  kind: string,
  version: string,
  rule: StructuralSchema,
  rules: Partial<StructuralSchema> = {},
): CustomResourceDefinition {
  const hasHostnames = kind === 'HTTPRoute' || kind === 'GRPCRoute' || kind === 'TLSRoute';
  return gatewayKind({
    version,
    kind,
    plural: `${kind.toLowerCase()}s`,
    properties: {
      spec: record({
        parentRefs: { ...listOf(parentRef), maxItems: 32 },
        ...(hasHostnames ? { hostnames: { ...texts, maxItems: 16 } } : {}),
        rules: { ...listOf(rule), maxItems: 16, ...rules },
      }),
      status: routeStatus,
    },
    required: ['spec'],
    columns: hasHostnames
      ? [{ name: 'Hostnames', type: 'string', jsonPath: '.spec.hostnames' }, age]
      : [age],
  });
}

function gatewayKind(parts: Omit<DefinitionParts, 'group'>): CustomResourceDefinition {
  const made = definition({ group, ...parts });
  return {
    ...made,
    // Names under k8s.io are served only with a word on who let them in.
    metadata: {
      ...made.metadata,
      annotations: { 'api-approved.kubernetes.io': 'unapproved, for the embedded API only' },
    },
    spec: { ...made.spec, names: { ...made.spec.names, categories: ['gateway-api'] } },
  };
}

/** A copy of a kind that an older version is served under as well. */
function alsoServedAs(
  made: CustomResourceDefinition,
  ...names: string[]
): CustomResourceDefinition {
  const [first] = made.spec.versions;
  const others = names.map((name) => ({ ...first!, name, storage: false }));
  return { ...made, spec: { ...made.spec, versions: [first!, ...others] } };
}

const listener = record(
  {
    name: text,
    hostname: text,
    port: portNumber,
    protocol: text,
    tls: record({
      mode: withDefault(oneOf('Terminate', 'Passthrough'), 'Terminate'),
      certificateRefs: listOf(
        record(
          {
            group: withDefault(text, ''),
            kind: withDefault(text, 'Secret'),
            name: text,
            namespace: text,
          },
          ['name'],
        ),
      ),
      options: { type: 'object', additionalProperties: text },
      frontendValidation: anything,
    }),
    allowedRoutes: withDefault(
      record({
        namespaces: withDefault(
          record({
            from: withDefault(oneOf('All', 'Selector', 'Same', 'None'), 'Same'),
            selector: anything,
          }),
          { from: 'Same' },
        ),
        kinds: listOf(record({ group: withDefault(text, group), kind: text }, ['kind'])),
      }),
      { namespaces: { from: 'Same' } },
    ),
  },
  ['name', 'port', 'protocol'],
);

const gatewayClass = gatewayKind({
  version: 'v1',
  kind: 'GatewayClass',
  plural: 'gatewayclasses',
  shortNames: ['gc'],
  isClusterScoped: true,
  properties: {
    spec: record(
      {
        controllerName: text,
        description: text,
        parametersRef: record({ group: text, kind: text, name: text, namespace: text }, [
          'group',
          'kind',
          'name',
        ]),
      },
      ['controllerName'],
    ),
    status: record({ conditions, supportedFeatures: listOf(record({ name: text })) }),
  },
  required: ['spec'],
  columns: [{ name: 'Controller', type: 'string', jsonPath: '.spec.controllerName' }, age],
});

const gateway = gatewayKind({
  version: 'v1',
  kind: 'Gateway',
  plural: 'gateways',
  shortNames: ['gtw'],
  properties: {
    spec: record(
      {
        gatewayClassName: text,
        listeners: {
          ...listOf(listener),
          minItems: 1,
          maxItems: 64,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
        },
        addresses: listOf(record({ type: withDefault(text, 'IPAddress'), value: text })),
        infrastructure: anything,
      },
      ['gatewayClassName', 'listeners'],
    ),
    status: record({
      addresses: listOf(record({ type: text, value: text }, ['value'])),
      conditions,
      listeners: {
        ...listOf(
          record(
            {
              name: text,
              supportedKinds: listOf(record({ group: text, kind: text }, ['kind'])),
              attachedRoutes: whole,
              conditions,
            },
            ['name', 'attachedRoutes'],
          ),
        ),
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
      },
    }),
  },
  required: ['spec'],
  columns: [
    { name: 'Class', type: 'string', jsonPath: '.spec.gatewayClassName' },
    { name: 'Address', type: 'string', jsonPath: '.status.addresses[*].value' },
    {
      name: 'Programmed',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="Programmed")].status',
    },
    age,
  ],
});

const httpRoute = route(
  'HTTPRoute',
  'v1',
  record({
    name: text,
    matches: withDefault({ ...listOf(httpMatch), maxItems: 64 }, [
      { path: { type: 'PathPrefix', value: '/' } },
    ]),
    filters,
    backendRefs: { ...listOf(backendRef({ filters })), maxItems: 16 },
    timeouts: record({ request: text, backendRequest: text }),
    retry: anything,
    sessionPersistence: anything,
  }),
  { default: [{ matches: [{ path: { type: 'PathPrefix', value: '/' } }] }] },
);

const grpcRoute = route(
  'GRPCRoute',
  'v1',
  record({
    name: text,
    matches: { ...listOf(grpcMatch), maxItems: 64 },
    filters,
    backendRefs: { ...listOf(backendRef({ filters })), maxItems: 16 },
    sessionPersistence: anything,
  }),
);

const streamRule = record({
  name: text,
  backendRefs: { ...listOf(backendRef()), minItems: 1, maxItems: 16 },
});

const referenceGrant = gatewayKind({
  version: 'v1beta1',
  kind: 'ReferenceGrant',
  plural: 'referencegrants',
  shortNames: ['refgrant'],
  properties: {
    spec: record(
      {
        from: {
          ...listOf(
            record({ group: text, kind: text, namespace: text }, ['group', 'kind', 'namespace']),
          ),
          minItems: 1,
        },
        to: {
          ...listOf(record({ group: text, kind: text, name: text }, ['group', 'kind'])),
          minItems: 1,
        },
      },
      ['from', 'to'],
    ),
  },
  hasStatus: false,
});

const backendTlsPolicy = gatewayKind({
  version: 'v1',
  kind: 'BackendTLSPolicy',
  plural: 'backendtlspolicies',
  shortNames: ['btlspolicy'],
  properties: {
    spec: record(
      {
        targetRefs: listOf(
          record({ group: text, kind: text, name: text, sectionName: text }, [
            'group',
            'kind',
            'name',
          ]),
        ),
        validation: record({
          caCertificateRefs: listOf(
            record({ group: text, kind: text, name: text }, ['kind', 'name']),
          ),
          wellKnownCACertificates: oneOf('System'),
          hostname: text,
          subjectAltNames: listOf(anything),
        }),
        options: { type: 'object', additionalProperties: text },
      },
      ['targetRefs', 'validation'],
    ),
    status: anything,
  },
  required: ['spec'],
});

/** The kinds of the Gateway API, for an API server that does not have them yet. */
export const gatewayApiDefinitions: readonly CustomResourceDefinition[] = [
  gatewayClass,
  alsoServedAs(gateway, 'v1beta1'),
  alsoServedAs(httpRoute, 'v1beta1'),
  grpcRoute,
  referenceGrant,
  backendTlsPolicy,
  alsoServedAs(route('TLSRoute', 'v1alpha2', streamRule), 'v1alpha3', 'v1'),
  route('TCPRoute', 'v1alpha2', streamRule),
  route('UDPRoute', 'v1alpha2', streamRule),
];
