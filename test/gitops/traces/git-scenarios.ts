import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gitRepositoryKind } from '@waygate/gitops';
import { GitHosts } from './git-hosts.ts';
import { type Scenario, withObject, withText } from './scenario.ts';
import {
  listed,
  type SourceFacts,
  settledFacts,
  storedFiles,
  withoutLocks,
  withSettledFacts,
} from './source-facts.ts';
import type { Stage } from './stage.ts';
import type { Story } from './story.ts';

const kind = gitRepositoryKind;

/** The recording without what its servers said in bodies, which git does not show. */
function withoutBodies(story: Story): Story {
  const bare = withText(story, 'authentication required: no', 'authentication required');
  const trimmed = withText(bare, 'repository not found: ', 'repository not found');
  return withText(trimmed, 'repository not found:', 'repository not found');
}

/** Sentences of Flux name the temporary directory that it looked in. */
function withoutDirectories(text: string): string {
  return text.replaceAll(/: lstat [^ ]*: no such file or directory/g, '');
}

/** Creates what the recording has facts on, and waits until each has done what it could. */
async function factsOn(
  stage: Stage,
  recorded: Readonly<Record<string, SourceFacts>>,
  base: object,
): Promise<Record<string, SourceFacts>> {
  const facts: Record<string, SourceFacts> = {};
  for (const [name, { spec, ref }] of Object.entries(recorded)) {
    const own = spec ?? (ref === false ? {} : { ref });
    const spoken = JSON.parse(stage.spoken(JSON.stringify(own)).replaceAll('<dur>', '500ms'));
    await stage.create(kind, name, { interval: '1h', ...base, ...spoken });
  }
  for (const name of Object.keys(recorded)) facts[name] = await settledFacts(stage, kind, name);
  return facts;
}

/** GitRepositories alone. */
export const gitScenarios: Readonly<Record<string, Scenario>> = {
  git_refs: {
    async play(stage, trace) {
      await using hosts = await GitHosts.start(stage);
      hosts.history();
      const recorded = trace.extra.refs as Record<string, SourceFacts>;
      const refs = await factsOn(stage, recorded, { url: hosts.url });
      await stage.untilToldAs(trace);
      return { refs };
    },
    differs: {
      why: 'some facts were taken in the middle of the next try',
      adapt: (story) => withSettledFacts(story, 'refs'),
    },
  },

  git_failures: {
    async play(stage, trace) {
      await using hosts = await GitHosts.start(stage);
      hosts.history();
      hosts.repository('empty.git');
      for (const [name, data] of Object.entries({
        good: { username: 'user', password: 'pass' },
        bad: { username: 'user', password: 'wrong' },
        bearer: { bearerToken: 'pass' },
        pwonly: { password: 'pass' },
        sshbad: { identity: 'x' },
        ghapp: { githubAppID: '1' },
      })) {
        await stage.secret(name, data);
      }
      const recorded = trace.extra.results as Record<string, SourceFacts>;
      const results = await factsOn(stage, recorded, { ref: { branch: 'main' } });
      const invalidCreate: Record<string, string> = {};
      for (const url of Object.keys(trace.extra.invalidCreate as object)) {
        const said = await stage.refusal(kind, 'inv', { interval: '1h', url });
        // As kubectl tells it.
        invalidCreate[url] = said.replace(/^GitRepository\S+(.*)$/, 'The GitRepository$1\n');
      }
      await stage.untilToldAs(trace);
      return { results, invalidCreate };
    },
    differs: {
      why: 'what a server says in a body is not shown by git; file: is refused by the controller, as it may be allowed; some facts were taken in the middle of the next try',
      adapt: (story) => {
        const pattern = withText(story, '(http|https|ssh)', '(http|https|ssh|file)');
        const settled = withSettledFacts(withoutBodies(pattern), 'results');
        const invalidCreate = { ...(settled.extra.invalidCreate as object), 'file:///x': '' };
        return { ...settled, extra: { ...settled.extra, invalidCreate } };
      },
    },
  },

  git_include_sparse: {
    options: { timeFactor: 4 },
    async play(stage, trace) {
      await using hosts = await GitHosts.start(stage);
      hosts.history();
      const base = { interval: '1h', url: hosts.url, ref: { branch: 'main' } };
      const include = [{ repository: { name: 'lib' }, fromPath: 'lib', toPath: 'vendor/lib' }];
      await stage.create(kind, 'main', { ...base, include });
      await stage.untilSays(kind, 'main', 'False NotFound');
      const lib = hosts.repository('lib.git');
      hosts.commit('lib1', { 'lib/l.yaml': 'l: 1\n' }, 'lib1', lib);
      await stage.create(kind, 'lib', { ...base, url: hosts.urlOf('lib.git') });
      await stage.untilSays(kind, 'main', 'True Succeeded');
      const tar = await listed(stage, kind, 'main');
      hosts.commit('lib2', { 'lib/m.yaml': 'm: 1\n' }, 'lib2', lib);
      await stage.handled(kind, 'lib');
      await stage.until(async () => (await listed(stage, kind, 'main')).length > tar.length);
      const tar2 = await listed(stage, kind, 'main');
      await stage.create(kind, 'sp', { ...base, sparseCheckout: ['sub'] });
      await stage.create(kind, 'spbad', { ...base, sparseCheckout: ['nope'] });
      await stage.untilSays(kind, 'sp', 'True Succeeded');
      const sparse = await listed(stage, kind, 'sp');
      const sparseBad = await settledFacts(stage, kind, 'spbad');
      await stage.untilToldAs(trace);
      return { tar, tar2, sparse, sparseBad };
    },
    differs: {
      why: 'who waits for another repository is woken when it comes, and may find it without an artifact; directories of our own are no affair of users',
      adapt: (story) => JSON.parse(withoutDirectories(JSON.stringify(story))) as Story,
      forgive: (story) => {
        const isEarly = (text: string) => text.includes('NoArtifact: no artifact available');
        const later = (texts: readonly string[]) => texts.filter((text) => !isEarly(text));
        const key = 'GitRepository/main';
        const notices = { ...story.notices, [key]: later(story.notices[key] ?? []) };
        return { ...withObject(story, key, later), notices };
      },
    },
  },

  git_lifecycle: {
    options: { retentionTtlMs: 3000 },
    async play(stage, trace) {
      await using hosts = await GitHosts.start(stage);
      hosts.history();
      const stored = 'gitrepository/trace-ns/src';
      const files = () => storedFiles(stage, stored);
      const digest = async () => (await stage.source(kind, 'src')).status?.artifact?.digest;
      const spec = { interval: '1h', url: hosts.url, ref: { branch: 'main' } };
      await stage.create(kind, 'src', spec);
      await stage.untilSays(kind, 'src', 'True Succeeded');
      const first = await digest();
      const [files1, tar1] = [files(), await listed(stage, kind, 'src', '--verbose')];
      await stage.handled(kind, 'src');
      await stage.patchSource(kind, 'src', { spec: { ignore: 'docs/\n' } });
      await stage.until(async () => (await digest()) !== first);
      const second = await digest();
      const tar2 = await listed(stage, kind, 'src');
      hosts.commit('c4', { 'a.yaml': 'a: 4\n' });
      await stage.handled(kind, 'src');
      const files2 = files();
      hosts.tree.git('reset', '--quiet', '--hard', 'HEAD~1');
      await stage.handled(kind, 'src');
      const replacedMs = Date.now();
      await stage.until(async () => Date.now() - replacedMs > 3100);
      await stage.handled(kind, 'src');
      const files3 = files();
      rmSync(join(stage.storageDirectory, ...stored.split('/'), `${hosts.head()}.tar.gz`));
      await stage.handled(kind, 'src');
      const files4 = files();
      renameSync(join(hosts.home, 'shop.git'), join(hosts.home, 'gone.git'));
      await stage.request(kind, 'src');
      await stage.untilSays(kind, 'src', 'False GitOperationFailed');
      const artifactKept = (await digest()) === second;
      renameSync(join(hosts.home, 'gone.git'), join(hosts.home, 'shop.git'));
      await stage.untilSays(kind, 'src', 'True Succeeded');
      await stage.patchSource(kind, 'src', { spec: { suspend: true } });
      await stage.deleteSource(kind, 'src');
      await stage.untilToldAs(trace);
      return {
        ...{ files1, tar1, digestChanged: first !== second, tar2, files2, files3, files4 },
        ...{ artifactKept, filesAfterDelete: files() },
      };
    },
    differs: {
      why: 'one process needs no locks; a suspended object has not observed its generation',
      adapt: (story) => {
        const extra = Object.entries(story.extra).map(([key, one]) => [
          key,
          key.startsWith('files') ? withoutLocks(one) : one,
        ]);
        const bare = withoutBodies({ ...story, extra: Object.fromEntries(extra) });
        return withObject(bare, 'GitRepository/src', (states) =>
          states.map((state) => state.replace('observed 3', 'observed 2')),
        );
      },
    },
  },
};
