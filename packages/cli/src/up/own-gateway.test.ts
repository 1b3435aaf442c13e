import type { KubeObject } from '@waygate/schema';
import { expect, test } from 'vitest';
import { wantedGateway } from './own-gateway.ts';

const gateway = (name: string, ...managers: string[]): KubeObject => ({
  metadata: {
    name,
    namespace: 'default',
    managedFields: managers.map((manager) => ({ manager })),
  },
});

test('where there is no Gateway, there is one for routes of all namespaces', () => {
  expect(wantedGateway([])).toMatchObject({
    metadata: { name: 'kong', namespace: 'default' },
    spec: {
      gatewayClassName: 'kong',
      listeners: [{ protocol: 'HTTP', allowedRoutes: { namespaces: { from: 'All' } } }],
    },
  });
});

test('where there is one, nothing is done, also if it is ours already', () => {
  expect(wantedGateway([gateway('public', 'kustomize-controller')])).toBeUndefined();
  expect(wantedGateway([gateway('kong', 'waygate-up')])).toBeUndefined();
  expect(wantedGateway([gateway('kong', 'kustomize-controller')])).toBeUndefined();
});

test('when the project brings one of its name, nothing of ours is left in it', () => {
  const both = gateway('kong', 'waygate-up', 'kustomize-controller');
  expect(wantedGateway([gateway('public'), both])).toEqual({
    metadata: { name: 'kong', namespace: 'default' },
  });
});

test('whoever writes its status does not take it over', () => {
  const own = gateway('kong', 'waygate-up');
  own.metadata.managedFields?.push({ manager: 'waygate', subresource: 'status' });
  expect(wantedGateway([own])).toBeUndefined();
});
