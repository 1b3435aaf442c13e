import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { externalArtifactKind, gitRepositoryKind } from '@waygate/gitops';
import { configMap, type Scenario, withText } from './scenario.ts';

/** The source of a Kustomization: missing, broken, forbidden, of another kind. */
export const sourceScenarios: Readonly<Record<string, Scenario>> = {
  artifact_digest_mismatch: {
    async play(stage) {
      await stage.push({ 'a.yaml': configMap('a') });
      await stage.createSource();
      const directory = join(stage.storageDirectory, 'gitrepository', stage.namespace, 'src');
      const archive = readdirSync(directory).find((name) => name.endsWith('.tar.gz')) ?? '';
      writeFileSync(join(directory, archive), 'not what was promised');
      await stage.createKustomization({ retryInterval: '2s' });
      // With Flux somebody has to ask the source; here it is told, and makes the artifact again.
      await stage.untilTold('failed to verify archive: ');
      await stage.untilReady('True ReconciliationSucceeded');
      await stage.untilTold('Reconciliation finished');
    },
    differs: {
      why: 'nothing is cut off at a size, so none is to be suspected',
      adapt: (story) => withText(story, ' (check whether file size exceeds max download size)', ''),
    },
  },

  source_without_artifact: {
    async play(stage) {
      await stage.push({ 'a.yaml': configMap('a') });
      await stage.createSource({ suspend: true });
      await stage.createKustomization();
      await stage.untilReady('False ArtifactFailed: Source artifact not found, retrying in 5s');
    },
  },

  flag_no_cross_namespace: {
    options: { noCrossNamespaceRefs: true },
    async play(stage) {
      await stage.push({ 'c.yaml': configMap('c') });
      await stage.createSource();
      const sourceRef = { kind: 'GitRepository', name: 'src', namespace: 'default' };
      await stage.createKustomization({ sourceRef }, 'bad');
      const dependsOn = [{ name: 'x', namespace: 'default' }];
      await stage.createKustomization({ dependsOn }, 'dep');
      await stage.untilReady('False AccessDenied', 'bad');
      await stage.untilTold('Dependencies do not meet', 1, 'Kustomization/dep');
      await stage.patch({ spec: { sourceRef: { namespace: stage.namespace } } }, 'bad');
      await stage.untilReady('True ReconciliationSucceeded', 'bad');
      await stage.untilTold('Reconciliation finished', 1, 'Kustomization/bad');
    },
  },

  external_artifact_gate_disabled: {
    options: { externalArtifacts: false },
    async play(stage) {
      await stage.createKustomization({ sourceRef: { kind: 'ExternalArtifact', name: 'x' } });
      await stage.untilReady('False AccessDenied');
    },
  },

  gate_external_artifact: {
    async play(stage) {
      const { client, namespace } = stage;
      const resource = client.resource(externalArtifactKind);
      await stage.push({ 'c.yaml': configMap('c', { k: '1' }) });
      await stage.createSource();
      await resource.create({ metadata: { name: 'x', namespace }, spec: {} as never });
      await stage.createKustomization({ sourceRef: { kind: 'ExternalArtifact', name: 'x' } });
      await stage.untilReady('False ArtifactFailed: Source artifact not found');
      const publish = async (revision: string) => {
        const source = await client.resource(gitRepositoryKind).get('src', { namespace });
        const metadata = {
          'org.opencontainers.image.revision': source.status?.artifact?.revision ?? '',
        };
        const artifact = { ...source.status?.artifact, revision, metadata };
        await resource.status.patch('x', { status: { artifact } }, { namespace });
        await stage.untilReady(`True ReconciliationSucceeded: Applied revision: ${revision}`);
      };
      await publish('latest@<digest1>');
      const before = (await client.resource(gitRepositoryKind).get('src', { namespace })).status
        ?.artifact?.revision;
      await stage.push({ 'c.yaml': configMap('c', { k: '2' }) });
      await stage.until(async () => {
        const source = await client.resource(gitRepositoryKind).get('src', { namespace });
        return source.status?.artifact?.revision !== before;
      });
      await publish('latest@<digest2>');
      await stage.untilTold('Reconciliation finished', 2);
      return { data: await stage.configMapData('c') };
    },
  },
};
