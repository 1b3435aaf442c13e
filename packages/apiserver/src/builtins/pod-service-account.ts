import { randomBytes } from 'node:crypto';
import type { DynamicObject } from '@waygate/schema';
import type { StrategyContext } from '../resources/resource.ts';
import { forbiddenError } from '../status/api-error.ts';
import { type Fields, listAt, textAt } from './fields.ts';

const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount';
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** Gives a pod the credentials of its service account, as the API's admission does. */
export function mountServiceAccount(
  object: DynamicObject,
  spec: Fields,
  context: StrategyContext,
): void {
  const name = textAt(spec, 'serviceAccountName');
  const account = context.find('serviceaccounts', `${object.metadata.namespace}/${name}`);
  if (account === undefined && name !== 'default') {
    throw forbiddenError(
      { group: '', resource: 'pods' },
      object.metadata.name ?? '',
      `error looking up service account ${object.metadata.namespace}/${name}: serviceaccount "${name}" not found`,
    );
  }
  const wish = spec.automountServiceAccountToken ?? account?.automountServiceAccountToken;
  if (wish === false) return;
  const containers = [...listAt(spec, 'initContainers'), ...listAt(spec, 'containers')];
  const lacking = containers.filter(
    (container) =>
      !listAt(container, 'volumeMounts').some((mount) => mount.mountPath === mountPath),
  );
  if (lacking.length === 0) return;
  const volume = `kube-api-access-${Array.from(randomBytes(5), (byte) => alphabet[byte % alphabet.length]).join('')}`;
  spec.volumes = [...listAt(spec, 'volumes'), tokenVolume(volume)];
  for (const container of lacking) {
    container.volumeMounts = [
      ...listAt(container, 'volumeMounts'),
      { name: volume, readOnly: true, mountPath },
    ];
  }
}

function tokenVolume(name: string): Fields {
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
        {
          configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] },
        },
        {
          downwardAPI: {
            items: [
              {
                path: 'namespace',
                fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' },
              },
            ],
          },
        },
      ],
      defaultMode: 420,
    },
  };
}
