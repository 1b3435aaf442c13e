import type { EntityCheck, EntitySchema, FieldSchema, FieldTable } from './field-schema.ts';

/** What the protocols of a route add to its schema. The first known protocol decides. */

function forbidden(base: FieldTable, names: readonly string[], protocols: string): FieldTable {
  return new Map(
    names.flatMap((name): [string, FieldSchema][] => {
      const field = base.get(name);
      if (field === undefined) return [];
      const err = `cannot set '${name}' when 'protocols' is ${protocols}`;
      return [[name, { ...field, eq: null, err }]];
    }),
  );
}

function mustSet(secure: string, plain: string, plainFields: readonly string[]): EntityCheck {
  return {
    conditional_at_least_one_of: {
      if_field: 'protocols',
      if_match: { contains: secure },
      then_at_least_one_of: [...plainFields, 'snis'],
      then_err: `must set one of %s when 'protocols' is '${secure}'`,
      else_match: { contains: plain },
      else_then_at_least_one_of: plainFields,
      else_then_err: `must set one of %s when 'protocols' is '${plain}'`,
    },
  };
}

function mustSetForStream(
  protocols: readonly string[],
  fields: readonly string[],
  message: string,
): EntityCheck {
  return {
    conditional_at_least_one_of: {
      if_field: 'protocols',
      if_match: { elements: { type: 'string', one_of: protocols } },
      then_at_least_one_of: fields,
      then_err: message,
    },
  };
}

function http(base: FieldTable): EntitySchema {
  return {
    name: 'http',
    fields: forbidden(base, ['sources', 'destinations'], "'http' or 'https'"),
    entityChecks: [mustSet('https', 'http', ['methods', 'hosts', 'headers', 'paths'])],
  };
}

function stream(base: FieldTable): EntitySchema {
  return {
    name: 'tcp',
    fields: forbidden(
      base,
      ['methods', 'hosts', 'paths', 'headers'],
      "'tcp', 'tls', 'tls_passthrough' or 'udp'",
    ),
    entityChecks: [
      mustSetForStream(
        ['tcp', 'tls', 'udp'],
        ['sources', 'destinations', 'snis'],
        "must set one of %s when 'protocols' is 'tcp', 'tls' or 'udp'",
      ),
      mustSetForStream(
        ['tls_passthrough'],
        ['snis'],
        "must set snis when 'protocols' is 'tls_passthrough'",
      ),
    ],
  };
}

function grpc(base: FieldTable): EntitySchema {
  const protocols = "'grpc' or 'grpcs'";
  const fields = new Map(forbidden(base, ['methods', 'sources', 'destinations'], protocols));
  fields.set('strip_path', {
    type: 'boolean',
    required: true,
    default: false,
    ne: true,
    err: `cannot set 'strip_path' when 'protocols' is ${protocols}`,
  });
  return {
    name: 'grpc',
    fields,
    entityChecks: [mustSet('grpcs', 'grpc', ['hosts', 'headers', 'paths'])],
  };
}

const families: Readonly<Record<string, (base: FieldTable) => EntitySchema>> = {
  http,
  https: http,
  tcp: stream,
  tls: stream,
  udp: stream,
  tls_passthrough: stream,
  grpc,
  grpcs: grpc,
};

/** The part for the first of the protocols that has one, or undefined. */
export function routeSubschema(
  protocols: readonly unknown[],
  base: EntitySchema,
): EntitySchema | undefined {
  for (const protocol of protocols) {
    const family =
      typeof protocol === 'string' && Object.hasOwn(families, protocol)
        ? families[protocol]
        : undefined;
    if (family !== undefined) return family(base.fields);
  }
  return undefined;
}
