import { readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { bucketKind } from '@waygate/gitops';
import { S3Server } from '../s3-server.ts';
import { type Scenario, withText } from './scenario.ts';
import {
  asSettled,
  listed,
  type SourceFacts,
  settledFacts,
  storedFiles,
  withoutLocks,
  withSettledFacts,
} from './source-facts.ts';

const kind = bucketKind;

const specs: Readonly<Record<string, object>> = {
  prefix: { prefix: 'dir/' },
  ignored: { ignore: '*.png\n' },
  nobucket: { bucketName: 'nope' },
  badcreds: { secretRef: { name: 'badcreds' } },
  incomplete: { secretRef: { name: 'incomplete' } },
  'missing-secret': { secretRef: { name: 'ghost' } },
  anon: { secretRef: undefined },
  refused: { endpoint: '127.0.0.1:1' },
  emptyprefix: { prefix: 'nothing/' },
};

/** Buckets alone, on the server that the recording had. */
export const bucketScenarios: Readonly<Record<string, Scenario>> = {
  bucket_s3: {
    async play(stage, trace) {
      await using server = await S3Server.start(['bkt-one']);
      // With these the revisions are theirs, too.
      const files = { 'a.yaml': 'x: 1', 'dir/b.yaml': 'y: 1', 'img.png': 'p', '.git/config': 'g' };
      for (const [key, content] of Object.entries(files)) await server.put('bkt-one', key, content);
      await stage.secret('keys', S3Server.keys);
      await stage.secret('badcreds', { ...S3Server.keys, secretkey: 'x' });
      await stage.secret('incomplete', { accesskey: 'x' });
      const names = Object.keys(trace.extra.results as object);
      for (const name of names) {
        await stage.create(kind, name, {
          bucketName: 'bkt-one',
          endpoint: server.endpoint,
          insecure: true,
          interval: '1h',
          secretRef: { name: 'keys' },
          ...specs[name],
        });
      }
      const results: Record<string, SourceFacts> = {};
      for (const name of names) results[name] = await settledFacts(stage, kind, name);
      const files1 = storedFiles(stage, `bucket/${stage.namespace}/ok`);
      const link = join(stage.storageDirectory, 'bucket', stage.namespace, 'ok', 'latest.tar.gz');
      const latestLink = `<storage>/bucket/<ns>/ok/${readlinkSync(link)}`;
      const tar = await listed(stage, kind, 'ok', '--verbose');
      await stage.handled(kind, 'ok');
      await server.put('bkt-one', 'a.yaml', 'x: 2');
      await stage.handled(kind, 'ok');
      const changed = await settledFacts(stage, kind, 'ok');
      await server.put('bkt-one', 'a.yaml', 'x: 2');
      await stage.handled(kind, 'ok');
      await server.put('bkt-one', '.sourceignore', '*.png\n');
      await stage.handled(kind, 'ok');
      const ignoring = await settledFacts(stage, kind, 'ok');
      const withSourceignore = { ...ignoring, tar: await listed(stage, kind, 'ok') };
      await stage.untilToldAs(trace);
      return { results, files1, latestLink, tar, changed, withSourceignore };
    },
    differs: {
      why: 'a connection that is refused is told at once, and not tried until the time is over; one process needs no locks',
      adapt: (story) => {
        const settled = withSettledFacts(story, 'results');
        const { tar } = story.extra.withSourceignore as { tar: string[] };
        const extra = {
          ...settled.extra,
          files1: withoutLocks(story.extra.files1),
          changed: asSettled(story.extra.changed as SourceFacts),
          withSourceignore: { ...asSettled(story.extra.withSourceignore as SourceFacts), tar },
        };
        return withText(
          { ...settled, extra },
          'context deadline exceeded',
          'Get "http://127.0.0.1:1/bkt-one": dial tcp 127.0.0.1:1: connect: connection refused',
        );
      },
    },
  },
};
