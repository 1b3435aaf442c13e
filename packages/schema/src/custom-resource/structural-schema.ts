/** A structural schema of a CustomResourceDefinition, as far as ours need one. */
export interface StructuralSchema {
  type?: 'array' | 'boolean' | 'integer' | 'number' | 'object' | 'string';
  description?: string;
  properties?: Record<string, StructuralSchema>;
  required?: string[];
  items?: StructuralSchema;
  additionalProperties?: StructuralSchema;
  enum?: (string | number)[];
  default?: unknown;
  format?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-validations'?: { rule: string; message: string }[];
  'x-kubernetes-list-type'?: 'atomic' | 'map' | 'set';
  'x-kubernetes-list-map-keys'?: string[];
}

export const text: StructuralSchema = { type: 'string' };
export const flag: StructuralSchema = { type: 'boolean' };
export const texts: StructuralSchema = { type: 'array', items: text };
export const textMap: StructuralSchema = { type: 'object', additionalProperties: text };
export const time: StructuralSchema = { type: 'string', format: 'date-time' };

/** Anything may be in it: what it means is somebody else's business. */
export const anything: StructuralSchema = {
  type: 'object',
  'x-kubernetes-preserve-unknown-fields': true,
};

export function oneOf(...values: string[]): StructuralSchema {
  return { type: 'string', enum: values };
}

export function listOf(items: StructuralSchema): StructuralSchema {
  return { type: 'array', items };
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

/** The conditions that a controller reports on an object. */
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
