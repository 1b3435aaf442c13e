import { ociRepositoryKind } from '@waygate/gitops';
import { OciRegistry } from '../oci-registry.ts';
import { configMap, type Scenario } from './scenario.ts';
import {
  listed,
  type SourceFacts,
  settledFacts,
  storedFiles,
  withoutLocks,
  withSettledFacts,
} from './source-facts.ts';
import type { Story } from './story.ts';

const kind = ociRepositoryKind;

const annotationsOf = (commit: string) => ({
  'org.opencontainers.image.created': '2026-01-01T00:00:00Z',
  'org.opencontainers.image.revision': `main@sha1:${commit}`,
  'org.opencontainers.image.source': 'https://github.com/org/app',
});

/** A story in which it does not matter which request a registry refused that is not there. */
function refusedAlike(story: Story): Story {
  const refused =
    /(?:(?:Get|Head) \\"https?:[^"]*\\": dial tcp [0-9.:]+: connect: connection refused(?:; )?)+/g;
  return JSON.parse(JSON.stringify(story).replaceAll(refused, 'connection refused')) as Story;
}

/** OCIRepositories on the real registry that the recording had. */
export const ociScenarios: Readonly<Record<string, Scenario>> = {
  oci_registry: {
    async play(stage, trace) {
      await using registry = await OciRegistry.start();
      stage.translate(`127.0.0.1:${registry.port}`, '127.0.0.1:19500');
      const push = async (tag: string, called: string, commit: string, value: string) => {
        const files = {
          'README.md': tag,
          'cm.yaml': configMap('oci', { k: value }),
          'docs/a.md': 'a',
        };
        const digest = await registry.push('app', tag, files, annotationsOf(commit));
        stage.translate(digest, `<digest-${called}>`);
      };
      const first = '0123456789abcdef0123456789abcdef01234567';
      for (const tag of ['1.0.0', '1.1.0', 'v1.2.0', '2.0.0-rc.1', 'staging', 'latest']) {
        await push(tag, tag, first, '1');
      }
      const recorded = trace.extra.results as Record<string, SourceFacts>;
      const base = { interval: '1h', insecure: true, url: registry.urlOf('app') };
      for (const [name, { spec }] of Object.entries(recorded)) {
        const own = JSON.parse(stage.spoken(JSON.stringify(spec))) as object;
        await stage.create(kind, name, { ...base, ...own });
      }
      const results: Record<string, SourceFacts> = {};
      for (const name of Object.keys(recorded)) {
        results[name] = await settledFacts(stage, kind, name);
      }
      const tarTag = await listed(stage, kind, 'tag');
      const tarIgnore = await listed(stage, kind, 'ignore');
      const copyFiles = storedFiles(stage, `ocirepository/${stage.namespace}/copy`);
      await stage.createKustomization(
        { sourceRef: { kind: 'OCIRepository', name: 'none' } },
        'oci',
      );
      await stage.untilReady('Applied revision: latest@<digest-latest>', 'oci');
      await push('latest', 'latest2', 'f'.repeat(40), '2');
      await stage.handled(kind, 'none');
      await stage.untilReady('Applied revision: latest@<digest-latest2>', 'oci');
      await registry.stop();
      const failing = ['none', 'missing-tag', 'missing-repo', 'semver-none', 'bad-filter'];
      for (const name of [...failing, 'layer-missing']) {
        await stage.request(kind, name);
        await stage.untilSays(kind, name, 'False ', 'connection refused');
      }
      await stage.untilToldAs(trace);
      return { results, tarTag, tarIgnore, copyFiles };
    },
    differs: {
      why: 'a registry is asked for what is wanted at once, and where spec.insecure says so over http alone; one process needs no locks; some facts were taken in the middle of the next try',
      adapt: (story) => {
        const settled = withSettledFacts(story, 'results');
        const copyFiles = withoutLocks(story.extra.copyFiles);
        return refusedAlike({ ...settled, extra: { ...settled.extra, copyFiles } });
      },
      forgive: refusedAlike,
    },
  },
};
