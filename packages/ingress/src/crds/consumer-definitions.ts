import { age, type CustomResourceDefinition, definition, programmed } from './definition.ts';
import { anything, statusWithConditions, text, texts } from './structural-schema.ts';

const group = 'configuration.konghq.com';

export const kongConsumer: CustomResourceDefinition = definition({
  group,
  version: 'v1',
  kind: 'KongConsumer',
  plural: 'kongconsumers',
  shortNames: ['kc'],
  properties: {
    username: text,
    custom_id: text,
    credentials: { ...texts, 'x-kubernetes-list-type': 'set' },
    consumerGroups: { ...texts, 'x-kubernetes-list-type': 'set' },
    spec: anything,
    status: { ...statusWithConditions, 'x-kubernetes-preserve-unknown-fields': true },
  },
  rules: [
    ['has(self.username) || has(self.custom_id)', 'Need to provide either username or custom_id'],
  ],
  columns: [{ name: 'Username', type: 'string', jsonPath: '.username' }, age, programmed],
});

export const kongConsumerGroup: CustomResourceDefinition = definition({
  group,
  version: 'v1beta1',
  kind: 'KongConsumerGroup',
  plural: 'kongconsumergroups',
  shortNames: ['kcg'],
  properties: {
    spec: anything,
    status: { ...statusWithConditions, 'x-kubernetes-preserve-unknown-fields': true },
  },
  columns: [age, programmed],
});

/** Deprecated since 0.7 in favour of Secrets; only the legacy naming reads it. */
export const kongCredential: CustomResourceDefinition = definition({
  group,
  version: 'v1',
  kind: 'KongCredential',
  plural: 'kongcredentials',
  properties: { type: text, consumerRef: text, config: anything },
  hasStatus: false,
  columns: [
    { name: 'Credential-type', type: 'string', jsonPath: '.type' },
    age,
    { name: 'Consumer-Ref', type: 'string', jsonPath: '.consumerRef' },
  ],
});
