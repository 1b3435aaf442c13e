import { type StructuralSchema, structural } from '@waygate/schema';

export type { StructuralSchema };

export const { anything, flag, listOf, oneOf, record, text, texts, withRules } = structural;

export const whole: StructuralSchema = { type: 'integer' };

export const portNumber: StructuralSchema = {
  type: 'integer',
  format: 'int32',
  minimum: 1,
  maximum: 65_535,
};

export function between(minimum: number, maximum: number): StructuralSchema {
  return { type: 'integer', minimum, maximum };
}

/** The conditions that a controller reports on an object, one of each type. */
export const conditions: StructuralSchema = {
  ...structural.conditions,
  maxItems: 8,
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
};

export const statusWithConditions: StructuralSchema = record({ conditions });

export const loadBalancerStatus: StructuralSchema = record({
  loadBalancer: record({
    ingress: listOf(
      record({
        ip: text,
        hostname: text,
        ipMode: text,
        ports: listOf(record({ port: whole, protocol: text, error: text })),
      }),
    ),
  }),
});
