import { age, type CustomResourceDefinition, definition, programmed } from './definition.ts';
import {
  anything,
  flag,
  listOf,
  oneOf,
  record,
  type StructuralSchema,
  statusWithConditions,
  text,
} from './structural-schema.ts';

const group = 'configuration.konghq.com';

const protocols = listOf(
  oneOf('http', 'https', 'grpc', 'grpcs', 'tcp', 'tls', 'udp', 'ws', 'wss', 'tls_passthrough'),
);

function pluginFields(secretKeyRef: StructuralSchema): Record<string, StructuralSchema> {
  return {
    plugin: text,
    config: anything,
    configFrom: record({ secretKeyRef }, ['secretKeyRef']),
    configPatches: listOf(
      record({ path: text, valueFrom: record({ secretKeyRef }, ['secretKeyRef']) }, [
        'path',
        'valueFrom',
      ]),
    ),
    consumerRef: text,
    disabled: flag,
    instance_name: text,
    ordering: anything,
    protocols,
    run_on: oneOf('first', 'second', 'all'),
    status: statusWithConditions,
  };
}

const rules = [
  [
    '!(has(self.config) && has(self.configFrom))',
    'Using both config and configFrom fields is not allowed.',
  ],
  [
    '!(has(self.configFrom) && has(self.configPatches))',
    'Using both configFrom and configPatches fields is not allowed.',
  ],
  ['self.plugin == oldSelf.plugin', 'The plugin field is immutable'],
] as const;

const columns = [
  { name: 'Plugin-Type', type: 'string', jsonPath: '.plugin', description: 'Name of the plugin' },
  age,
  {
    name: 'Disabled',
    type: 'boolean',
    jsonPath: '.disabled',
    description: 'Indicates if the plugin is disabled',
    priority: 1,
  },
  programmed,
] as const;

export const kongPlugin: CustomResourceDefinition = definition({
  group,
  version: 'v1',
  kind: 'KongPlugin',
  plural: 'kongplugins',
  shortNames: ['kp'],
  properties: pluginFields(record({ name: text, key: text }, ['name', 'key'])),
  required: ['plugin'],
  rules,
  columns,
});

export const kongClusterPlugin: CustomResourceDefinition = definition({
  group,
  version: 'v1',
  kind: 'KongClusterPlugin',
  plural: 'kongclusterplugins',
  shortNames: ['kcp'],
  isClusterScoped: true,
  properties: pluginFields(
    record({ name: text, key: text, namespace: text }, ['name', 'key', 'namespace']),
  ),
  required: ['plugin'],
  rules,
  columns,
});
