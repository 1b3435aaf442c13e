import { age, type CustomResourceDefinition, definition, ready } from './definition.ts';
import {
  anything,
  conditions,
  flag,
  interval,
  listOf,
  localReference,
  oneOf,
  record,
  sized,
  targetSelector,
  text,
  textMap,
  texts,
  time,
  whole,
  withDefault,
  withRules,
} from './schema-parts.ts';

const oneKubeConfig =
  'exactly one of spec.kubeConfig.configMapRef or spec.kubeConfig.secretRef must be specified';

const spec = record(
  {
    buildMetadata: listOf(oneOf('originAnnotations', 'transformerAnnotations')),
    commonMetadata: record({ annotations: textMap, labels: textMap }),
    components: texts,
    decryption: record(
      { provider: oneOf('sops'), secretRef: localReference, serviceAccountName: text },
      ['provider'],
    ),
    deletionPolicy: oneOf('MirrorPrune', 'Delete', 'WaitForTermination', 'Orphan'),
    dependsOn: listOf(record({ name: text, namespace: text, readyExpr: text }, ['name'])),
    force: withDefault(flag, false),
    healthCheckExprs: listOf(
      record({ apiVersion: text, current: text, failed: text, inProgress: text, kind: text }, [
        'apiVersion',
        'current',
      ]),
    ),
    healthChecks: listOf(
      record({ apiVersion: text, kind: text, name: text, namespace: text }, ['kind', 'name']),
    ),
    ignore: listOf(record({ paths: texts, target: targetSelector }, ['paths'])),
    ignoreMissingComponents: flag,
    images: listOf(record({ digest: text, name: text, newName: text, newTag: text }, ['name'])),
    interval,
    kubeConfig: withRules(
      record({
        configMapRef: localReference,
        secretRef: record({ key: text, name: text }, ['name']),
      }),
      ['has(self.configMapRef) || has(self.secretRef)', oneKubeConfig],
      ['!has(self.configMapRef) || !has(self.secretRef)', oneKubeConfig],
    ),
    namePrefix: sized(1, 200),
    nameSuffix: sized(1, 200),
    patches: listOf(record({ patch: text, target: targetSelector }, ['patch'])),
    patchesJson6902: listOf(
      record({ patch: listOf(anything), target: targetSelector }, ['patch', 'target']),
    ),
    patchesStrategicMerge: listOf(anything),
    path: text,
    postBuild: record({
      substitute: textMap,
      substituteFrom: listOf(
        record(
          {
            kind: oneOf('Secret', 'ConfigMap'),
            name: sized(1, 253),
            optional: withDefault(flag, false),
          },
          ['kind', 'name'],
        ),
      ),
      substituteStrategy: oneOf('WithVariables', 'Always'),
    }),
    prune: flag,
    retryInterval: interval,
    serviceAccountName: text,
    sourceRef: record(
      {
        apiVersion: text,
        kind: oneOf('OCIRepository', 'GitRepository', 'Bucket', 'ExternalArtifact'),
        name: text,
        namespace: text,
      },
      ['kind', 'name'],
    ),
    suspend: flag,
    targetNamespace: sized(1, 63),
    timeout: interval,
    wait: flag,
  },
  ['interval', 'prune', 'sourceRef'],
);

const status = withDefault(
  record({
    conditions,
    history: listOf(
      record(
        {
          digest: text,
          firstReconciled: time,
          lastReconciled: time,
          lastReconciledDuration: text,
          lastReconciledStatus: text,
          metadata: textMap,
          totalReconciliations: whole,
        },
        [
          'digest',
          'firstReconciled',
          'lastReconciled',
          'lastReconciledDuration',
          'lastReconciledStatus',
          'totalReconciliations',
        ],
      ),
    ),
    inventory: record({ entries: listOf(record({ id: text, v: text }, ['id', 'v'])) }, ['entries']),
    lastAppliedOriginRevision: text,
    lastAppliedRevision: text,
    lastAttemptedRevision: text,
    lastHandledReconcileAt: text,
    observedGeneration: whole,
  }),
  { observedGeneration: -1 },
);

/**
 * The older generation said how manifests are validated; they always are, by the server, so that any
 * answer is accepted and none is kept.
 */
const olderFields = { validation: oneOf('none', 'client', 'server') };

export const kustomization: CustomResourceDefinition = definition({
  group: 'kustomize.toolkit.fluxcd.io',
  kind: 'Kustomization',
  plural: 'kustomizations',
  shortNames: ['ks'],
  category: 'fluxcd-appliers',
  columns: [age, ...ready],
  spec,
  status,
  older: ['v1beta2', 'v1beta1'].map((version) => ({ version, spec: olderFields })),
});
