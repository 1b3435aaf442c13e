import { type StructuralSchema, structural } from '@waygate/schema';

export type { StructuralSchema };

export const {
  anything,
  conditions,
  flag,
  listOf,
  oneOf,
  record,
  text,
  textMap,
  texts,
  time,
  withDefault,
  withRules,
} = structural;

export const whole: StructuralSchema = { type: 'integer', format: 'int64' };

export const interval: StructuralSchema = {
  type: 'string',
  pattern: '^([0-9]+(\\.[0-9]+)?(ms|s|m|h))+$',
};

export const sourceTimeout: StructuralSchema = {
  type: 'string',
  default: '60s',
  pattern: '^([0-9]+(\\.[0-9]+)?(ms|s|m))+$',
};

export function sized(minLength: number, maxLength: number): StructuralSchema {
  return { type: 'string', minLength, maxLength };
}

export const localReference: StructuralSchema = record({ name: text }, ['name']);

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
