/** A structural schema of a CustomResourceDefinition, as far as ours need one. */
export interface StructuralSchema {
  type?: 'array' | 'boolean' | 'integer' | 'number' | 'object' | 'string';
  properties?: Record<string, StructuralSchema>;
  required?: string[];
  items?: StructuralSchema;
  additionalProperties?: StructuralSchema;
  enum?: string[];
  default?: unknown;
  format?: string;
  minimum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-validations'?: { rule: string; message: string }[];
}

export const text: StructuralSchema = { type: 'string' };
export const flag: StructuralSchema = { type: 'boolean' };
export const whole: StructuralSchema = { type: 'integer', format: 'int64' };
export const texts: StructuralSchema = { type: 'array', items: text };
export const textMap: StructuralSchema = { type: 'object', additionalProperties: text };
export const time: StructuralSchema = { type: 'string', format: 'date-time' };

export const interval: StructuralSchema = {
  type: 'string',
  pattern: '^([0-9]+(\\.[0-9]+)?(ms|s|m|h))+$',
};

export const sourceTimeout: StructuralSchema = {
  type: 'string',
  default: '60s',
  pattern: '^([0-9]+(\\.[0-9]+)?(ms|s|m))+$',
};

export function oneOf(...values: string[]): StructuralSchema {
  return { type: 'string', enum: values };
}

export function listOf(items: StructuralSchema): StructuralSchema {
  return { type: 'array', items };
}

export function sized(minLength: number, maxLength: number): StructuralSchema {
  return { type: 'string', minLength, maxLength };
}

export function record(
  properties: Record<string, StructuralSchema>,
  required: string[] = [],
): StructuralSchema {
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }) };
}

export function withDefault(schema: StructuralSchema, value: unknown): StructuralSchema {
  return { ...schema, default: value };
}

export function withRules(
  schema: StructuralSchema,
  ...rules: (readonly [rule: string, message: string])[]
): StructuralSchema {
  return {
    ...schema,
    'x-kubernetes-validations': rules.map(([rule, message]) => ({ rule, message })),
  };
}

export const localReference: StructuralSchema = record({ name: text }, ['name']);

export const conditions: StructuralSchema = listOf(
  record(
    {
      type: { type: 'string', maxLength: 316 },
      status: oneOf('True', 'False', 'Unknown'),
      reason: { type: 'string', minLength: 1, maxLength: 1024 },
      message: { type: 'string', maxLength: 32_768 },
      lastTransitionTime: time,
      observedGeneration: { type: 'integer', format: 'int64', minimum: 0 },
    },
    ['type', 'status', 'reason', 'message', 'lastTransitionTime'],
  ),
);

export const artifact: StructuralSchema = record(
  {
    digest: { type: 'string', pattern: '^[a-z0-9]+(?:[.+_-][a-z0-9]+)*:[a-zA-Z0-9=_-]+$' },
    lastUpdateTime: time,
    metadata: textMap,
    path: text,
    revision: text,
    size: whole,
    url: text,
  },
  ['digest', 'lastUpdateTime', 'path', 'revision', 'url'],
);

export const targetSelector: StructuralSchema = record({
  annotationSelector: text,
  group: text,
  kind: text,
  labelSelector: text,
  name: text,
  namespace: text,
  version: text,
});
