import { expect, test } from 'vitest';
import { CertificateAuthority } from '../tls/certificate-authority.ts';
import type { Definition } from './definition.ts';
import { bundleProblems } from './definition-rules.ts';
import { definitionStatus } from './definition-status.ts';

const names = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' };
const encoded = (text: string) => Buffer.from(text).toString('base64');

function definition(group: string, given: { approval?: string; caBundle?: string } = {}) {
  const { approval, caBundle } = given;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `things.${group}`,
      ...(approval === undefined
        ? {}
        : { annotations: { 'api-approved.kubernetes.io': approval } }),
    },
    spec: {
      group,
      scope: 'Cluster',
      names,
      versions: [],
      ...(caBundle === undefined
        ? {}
        : { conversion: { strategy: 'Webhook', webhook: { clientConfig: { caBundle } } } }),
    },
    status: { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'] },
  } as Definition;
}

const told = (object: Definition) =>
  (object.status.conditions ?? []).map(({ type, status, reason }) => `${type}=${status} ${reason}`);

const settled = (object: Definition, now = 0): Definition => ({
  ...object,
  status: definitionStatus(object, now),
});

const fine = ['NamesAccepted=True NoConflicts', 'Established=True InitialNamesAccepted'];

test.each([
  ['example.com', undefined, undefined],
  ['k8s.io.example.com', undefined, undefined],
  ['sigs.k8s.io', undefined, 'False MissingAnnotation'],
  ['sigs.k8s.io', 'https://github.com/kubernetes/kubernetes/pull/79724', 'True ApprovedAnnotation'],
  ['kubernetes.io', 'unapproved, for a test', 'False UnapprovedAnnotation'],
  ['k8s.io', 'mailto:someone', 'False InvalidAnnotation'],
  ['k8s.io', 'yes', 'False InvalidAnnotation'],
])('%s with approval %j: %s', (group, approval, state) => {
  const object = definition(group, approval === undefined ? {} : { approval });
  const condition = `KubernetesAPIApprovalPolicyConformant=${state}`;
  expect(told(settled(object))).toEqual([...(state === undefined ? [] : [condition]), ...fine]);
});

test('an approval that changes is told anew, and the time of what stays so stays', () => {
  const first = settled(definition('k8s.io', { approval: 'unapproved' }), 0);
  const annotations = { 'api-approved.kubernetes.io': 'unapproved, still' };
  const second = settled({ ...first, metadata: { ...first.metadata, annotations } }, 60_000);
  const [before] = first.status.conditions ?? [];
  expect(second.status.conditions?.[0]).toEqual({
    ...before,
    message: 'not approved: "unapproved, still"',
  });
});

const emptyBlock = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';

test.each([
  ['', undefined],
  ['\n', 'unable to parse bytes as PEM block'],
  [emptyBlock.replaceAll('CERTIFICATE', 'KEY'), 'no valid certificate authority data seen'],
  [emptyBlock, 'failed to parse certificate: x509: malformed certificate'],
])('authorities %j', (text, why) => {
  const spoilt = settled(definition('example.com', { caBundle: encoded(text) }));
  const refused = 'Established=False InvalidCABundle';
  expect(told(spoilt)).toEqual(why === undefined ? fine : [fine[0], refused]);

  // One that is not established may be changed to anything; one that is, to what can be read only.
  expect(bundleProblems(spoilt, definition('example.com'))).toEqual([]);
  expect(bundleProblems(spoilt, settled(definition('example.com')))).toEqual(
    why === undefined
      ? []
      : [
          expect.objectContaining({
            field: 'spec.conversion.webhookClientConfig.caBundle',
            detail: expect.stringContaining(`unable to load root certificates: ${why}`),
          }),
        ],
  );
});

test('a definition is established once its authorities can be read', async () => {
  const { pem } = await CertificateAuthority.create(Date.now);
  const spoilt = settled(definition('example.com', { caBundle: encoded('\n') }));
  const { spec } = definition('example.com', { caBundle: encoded(`${emptyBlock}${pem}`) });
  expect(told(settled({ ...spoilt, spec }))).toEqual(fine);
});
