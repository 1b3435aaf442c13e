import { age, type CustomResourceDefinition, definition, ready } from './definition.ts';
import {
  artifact,
  conditions,
  flag,
  interval,
  listOf,
  localReference,
  oneOf,
  record,
  type StructuralSchema,
  sourceTimeout,
  text,
  textMap,
  texts,
  whole,
  withDefault,
  withRules,
} from './schema-parts.ts';

const group = 'source.toolkit.fluxcd.io';
const category = 'fluxcd-sources';
const unseen = { observedGeneration: -1 };

const sourceStatus: Record<string, StructuralSchema> = {
  artifact,
  conditions,
  lastHandledReconcileAt: text,
  observedGeneration: whole,
  observedIgnore: text,
  url: text,
};

const include = listOf(
  record({ fromPath: text, repository: localReference, toPath: text }, ['repository']),
);

/** Repositories on the machine itself are for those who run there: the controller refuses them by default. */
const gitUrl: StructuralSchema = { type: 'string', pattern: '^(http|https|ssh|file)://.*$' };

/** Was announced and never did anything: who may use a source is up to `--no-cross-namespace-refs`. */
const accessFrom = record({ namespaceSelectors: listOf(record({ matchLabels: textMap })) }, [
  'namespaceSelectors',
]);

/** There is one way to speak with git now. */
const gitImplementation = withDefault(oneOf('go-git', 'libgit2'), 'go-git');

export const gitRepository: CustomResourceDefinition = definition({
  group,
  kind: 'GitRepository',
  plural: 'gitrepositories',
  shortNames: ['gitrepo'],
  category,
  columns: [{ name: 'URL', type: 'string', jsonPath: '.spec.url' }, age, ...ready],
  older: [
    { version: 'v1beta2', spec: { accessFrom, gitImplementation } },
    { version: 'v1beta1', spec: { accessFrom, gitImplementation } },
  ],
  spec: withRules(
    record(
      {
        ignore: text,
        include,
        interval,
        provider: oneOf('generic', 'aws', 'azure', 'github'),
        proxySecretRef: localReference,
        recurseSubmodules: flag,
        ref: record({ branch: text, commit: text, name: text, semver: text, tag: text }),
        secretRef: localReference,
        serviceAccountName: text,
        sparseCheckout: texts,
        suspend: flag,
        timeout: sourceTimeout,
        url: gitUrl,
        verify: record(
          {
            mode: withDefault(oneOf('head', 'HEAD', 'Tag', 'TagAndHEAD'), 'HEAD'),
            secretRef: localReference,
          },
          ['secretRef'],
        ),
      },
      ['interval', 'url'],
    ),
    [
      "!has(self.serviceAccountName) || (has(self.provider) && (self.provider == 'azure' || self.provider == 'aws'))",
      "serviceAccountName can only be set when provider is 'azure' or 'aws'",
    ],
  ),
  status: withDefault(
    record({
      ...sourceStatus,
      includedArtifacts: listOf(artifact),
      observedInclude: include,
      observedRecurseSubmodules: flag,
      observedSparseCheckout: texts,
      sourceVerificationMode: text,
    }),
    unseen,
  ),
});

export const bucket: CustomResourceDefinition = definition({
  group,
  kind: 'Bucket',
  plural: 'buckets',
  category,
  columns: [{ name: 'Endpoint', type: 'string', jsonPath: '.spec.endpoint' }, age, ...ready],
  older: [
    { version: 'v1beta2', spec: { accessFrom } },
    { version: 'v1beta1', spec: { accessFrom } },
  ],
  spec: withRules(
    record(
      {
        bucketName: text,
        certSecretRef: localReference,
        endpoint: text,
        ignore: text,
        insecure: flag,
        interval,
        prefix: text,
        provider: withDefault(oneOf('generic', 'aws', 'gcp', 'azure'), 'generic'),
        proxySecretRef: localReference,
        region: text,
        secretRef: localReference,
        serviceAccountName: text,
        sts: record(
          {
            certSecretRef: localReference,
            endpoint: { type: 'string', pattern: '^(http|https)://.*$' },
            provider: oneOf('aws', 'ldap'),
            secretRef: localReference,
          },
          ['endpoint', 'provider'],
        ),
        suspend: flag,
        timeout: sourceTimeout,
      },
      ['bucketName', 'endpoint', 'interval'],
    ),
    [
      "self.provider == 'aws' || self.provider == 'generic' || !has(self.sts)",
      "STS configuration is only supported for the 'aws' and 'generic' Bucket providers",
    ],
    [
      "self.provider != 'aws' || !has(self.sts) || self.sts.provider == 'aws'",
      "'aws' is the only supported STS provider for the 'aws' Bucket provider",
    ],
    [
      "self.provider != 'generic' || !has(self.sts) || self.sts.provider == 'ldap'",
      "'ldap' is the only supported STS provider for the 'generic' Bucket provider",
    ],
    [
      "!has(self.sts) || self.sts.provider != 'aws' || !has(self.sts.secretRef)",
      "spec.sts.secretRef is not required for the 'aws' STS provider",
    ],
    [
      "!has(self.sts) || self.sts.provider != 'aws' || !has(self.sts.certSecretRef)",
      "spec.sts.certSecretRef is not required for the 'aws' STS provider",
    ],
    [
      "self.provider != 'generic' || !has(self.serviceAccountName)",
      "ServiceAccountName is not supported for the 'generic' Bucket provider",
    ],
    [
      '!has(self.secretRef) || !has(self.serviceAccountName)',
      'cannot set both .spec.secretRef and .spec.serviceAccountName',
    ],
  ),
  status: withDefault(record(sourceStatus), unseen),
});

const layerSelector = record({ mediaType: text, operation: oneOf('extract', 'copy') });

export const ociRepository: CustomResourceDefinition = definition({
  group,
  kind: 'OCIRepository',
  plural: 'ocirepositories',
  shortNames: ['ocirepo'],
  category,
  columns: [{ name: 'URL', type: 'string', jsonPath: '.spec.url' }, ...ready, age],
  older: [{ version: 'v1beta2' }],
  spec: record(
    {
      certSecretRef: localReference,
      ignore: text,
      insecure: flag,
      interval,
      layerSelector,
      provider: withDefault(oneOf('generic', 'aws', 'azure', 'gcp'), 'generic'),
      proxySecretRef: localReference,
      ref: record({ digest: text, semver: text, semverFilter: text, tag: text }),
      secretRef: localReference,
      serviceAccountName: text,
      suspend: flag,
      timeout: sourceTimeout,
      url: { type: 'string', pattern: '^oci://.*$' },
      verify: record(
        {
          matchOIDCIdentity: listOf(record({ issuer: text, subject: text }, ['issuer', 'subject'])),
          provider: withDefault(oneOf('cosign', 'notation'), 'cosign'),
          secretRef: localReference,
          trustedRootSecretRef: localReference,
        },
        ['provider'],
      ),
    },
    ['interval', 'url'],
  ),
  status: withDefault(record({ ...sourceStatus, observedLayerSelector: layerSelector }), unseen),
});

export const externalArtifact: CustomResourceDefinition = definition({
  group,
  kind: 'ExternalArtifact',
  plural: 'externalartifacts',
  shortNames: ['ea'],
  category,
  columns: [age, ...ready, { name: 'Source', type: 'string', jsonPath: '.spec.sourceRef.name' }],
  spec: record({
    sourceRef: record({ apiVersion: text, kind: text, name: text, namespace: text }, [
      'kind',
      'name',
    ]),
  }),
  status: record({ artifact, conditions }),
});
