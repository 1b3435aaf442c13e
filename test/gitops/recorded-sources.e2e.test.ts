import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  bucketKind,
  gitRepositoryKind,
  ociRepositoryKind,
  type SourceObject,
} from '@waygate/gitops';
import type { Kind, KubeObject } from '@waygate/schema';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { workspace } from '../real/processes.ts';
import { GitHttpsServer } from './git-https-server.ts';
import { OciRegistry } from './oci-registry.ts';
import { S3Server } from './s3-server.ts';
import { patience, SourceCluster } from './source-cluster.ts';
import { readTraces } from './traces/trace.ts';
import { WorkTree } from './work-tree.ts';

// What Flux' source-controller said about many sources, and what ours says about the same.

interface Recorded {
  readonly spec?: Record<string, unknown>;
  readonly ref?: Record<string, string> | false;
  readonly artifact: { path?: string; revision?: string; metadata?: object };
  readonly url?: string | null;
  readonly conditions: [type: string, status: string, reason: string, message: string][];
}

const directory =
  process.env.WAYGATE_TRACES ?? join(workspace, '..', 'shared', 'conformance', 'flux', 'traces');
const traces = readTraces(directory);

function recordedOf(name: string, key = 'results'): [string, Recorded][] {
  const found = traces.get(name)?.extra[key] as Record<string, Recorded> | undefined;
  return Object.entries(found ?? {});
}

let cluster: SourceCluster;
let home: string;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'waygate-recorded-'));
  cluster = await SourceCluster.start();
});

afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
  rmSync(home, { recursive: true, force: true });
});

/** A recording that was made while the controller was at work on the next try: only the failure counts. */
const isMidway = ({ conditions }: Recorded) =>
  conditions.some(([type, status]) => type === 'Ready' && status === 'Unknown');

/** Waits until an object is as recorded, with our texts told in the words of the recording. */
async function compare<T extends KubeObject>(
  kind: Kind<T>,
  name: string,
  recorded: Recorded,
  told: (text: string) => string,
): Promise<void> {
  const wanted = isMidway(recorded)
    ? recorded.conditions.filter(([type]) => type === 'FetchFailed')
    : recorded.conditions;
  await vi.waitFor(async () => {
    const object = await cluster.get(kind, name);
    const { status } = JSON.parse(told(JSON.stringify(object))) as SourceObject;
    const conditions = (status?.conditions ?? [])
      .filter(({ type }) => wanted.some(([one]) => one === type) || !isMidway(recorded))
      .map((one) => [one.type, one.status, one.reason, one.message]);
    expect(conditions).toEqual(wanted);
    const { path, revision, metadata } = status?.artifact ?? {};
    const artifact = JSON.parse(JSON.stringify({ path, revision, metadata }));
    expect(artifact).toEqual(recorded.artifact);
    if (recorded.url)
      expect(new URL(status?.url ?? '').pathname).toBe(new URL(recorded.url).pathname);
  }, patience);
}

/** Their recordings have other names for the same things. */
const unslashed = (text: string) => text.replaceAll('default', '<ns>');

describe.skipIf(traces.size === 0)('git', () => {
  const commits: Record<string, string> = {};
  const odd = createServer((request, response) => {
    if (request.url?.startsWith('/500')) response.writeHead(500).end();
  });
  let open: GitHttpsServer;
  let closed: GitHttpsServer;
  const theirs = 'http://127.0.0.1:39418';

  beforeAll(async () => {
    const tree = new WorkTree(join(home, 'shop'));
    new WorkTree(join(home, 'empty'));
    commits.c1 = tree.commit({ 'a.yaml': 'a: 1' }, 'c1');
    tree.git('tag', 'v1.0.0');
    tree.git('tag', '--annotate', '--message', 'x', 'v1.1.0');
    commits.c2 = tree.commit({ 'a.yaml': 'a: 2' }, 'c2');
    tree.git('tag', '2.0.0+b1');
    commits.c3 = tree.commit({ 'a.yaml': 'a: 3' }, 'c3');
    for (const tag of ['v1.5.0', '2.0.0-rc.1', '2.0.0+b2']) tree.git('tag', tag);
    tree.git('checkout', '--quiet', '-b', 'dev', commits.c1);
    commits.dev1 = tree.commit({ 'a.yaml': 'dev' }, 'dev1');
    tree.git('update-ref', 'refs/pull/7/head', commits.dev1);
    tree.git('checkout', '--quiet', 'main');
    const users = { root: home, username: 'user', password: 'pass' };
    open = await GitHttpsServer.start(users);
    open.isOpen = true;
    closed = await GitHttpsServer.start(users);
    await new Promise<void>((resolve) => odd.listen(0, '127.0.0.1', resolve));
    for (const [name, data] of Object.entries({
      good: { username: 'user', password: 'pass' },
      bad: { username: 'user', password: 'wrong' },
      bearer: { bearerToken: 'pass' },
      pwonly: { password: 'pass' },
      sshbad: { identity: 'x' },
      ghapp: { githubAppID: '1' },
    })) {
      await cluster.secret(name, data);
    }
  });

  afterAll(async () => {
    await open?.[Symbol.asyncDispose]();
    await closed?.[Symbol.asyncDispose]();
    odd.closeAllConnections();
    await new Promise((resolve) => odd.close(resolve));
  });

  /** Where each address of theirs is here. */
  const addresses = (): [theirs: string, ours: string][] => {
    const oddUrl = `http://127.0.0.1:${(odd.address() as AddressInfo).port}`;
    const { host } = new URL(closed.url);
    return [
      [`http://user:pass@127.0.0.1:39418/auth/<ns>.git`, `http://user:pass@${host}/shop/.git`],
      [`${theirs}/auth/<ns>.git`, `${closed.url}/shop/.git`],
      [`${theirs}/<ns>-empty.git`, `${open.url}/empty/.git`],
      [`${theirs}/<ns>.git`, `${open.url}/shop/.git`],
      [`${theirs}/ghost.git`, `${open.url}/ghost/.git`],
      [`${theirs}/500`, `${oddUrl}/500`],
      [`${theirs}/hang`, `${oddUrl}/hang`],
    ];
  };

  /** The recording, without what its servers said in bodies that git does not show. */
  const withoutBodies = (recorded: Recorded) =>
    JSON.parse(
      JSON.stringify(recorded)
        .replaceAll('authentication required: no', 'authentication required')
        .replaceAll('repository not found: ', 'repository not found'),
    ) as Recorded;

  function here(text: string): string {
    let ours = text;
    for (const [from, to] of addresses()) ours = ours.replaceAll(from, to);
    return ours
      .replaceAll('<dur>', '500ms')
      .replaceAll(/<(c1|c2|c3|dev1)>/g, (_all, name: string) => commits[name] ?? '');
  }

  function there(name: string, object: string): (text: string) => string {
    return (text) => {
      let told = text;
      for (const [from, to] of addresses()) told = told.replaceAll(to, from);
      for (const [key, sha] of Object.entries(commits)) told = told.replaceAll(sha, `<${key}>`);
      return unslashed(told).replaceAll(`<ns>/${object}/`, `<ns>/${name}/`);
    };
  }

  test.each(recordedOf('git_failures'))('%s', async (name, recorded) => {
    const spec = JSON.parse(here(JSON.stringify(recorded.spec))) as object;
    await cluster.create(gitRepositoryKind, `git-${name}`, {
      interval: '1h',
      ref: { branch: 'main' },
      ...spec,
    });
    await compare(
      gitRepositoryKind,
      `git-${name}`,
      withoutBodies(recorded),
      there(name, `git-${name}`),
    );
  });

  test.each(recordedOf('git_refs', 'refs'))('the reference %s', async (name, recorded) => {
    const ref =
      recorded.ref === false ? {} : { ref: JSON.parse(here(JSON.stringify(recorded.ref))) };
    const url = `${open.url}/shop/.git`;
    await cluster.create(gitRepositoryKind, `git-ref-${name}`, { interval: '1h', url, ...ref });
    await compare(gitRepositoryKind, `git-ref-${name}`, recorded, there(name, `git-ref-${name}`));
  });
});

describe.skipIf(traces.size === 0)('registries', () => {
  let registry: OciRegistry;
  const digests: Record<string, string> = {};

  beforeAll(async () => {
    registry = await OciRegistry.start();
    const annotations = {
      'org.opencontainers.image.created': '2026-01-01T00:00:00Z',
      'org.opencontainers.image.revision': 'main@sha1:0123456789abcdef0123456789abcdef01234567',
      'org.opencontainers.image.source': 'https://github.com/org/app',
    };
    for (const tag of ['1.0.0', '1.1.0', 'v1.2.0', '2.0.0-rc.1', 'staging', 'latest']) {
      const files = { 'README.md': tag, 'cm.yaml': 'a: 1', 'docs/a.md': 'a' };
      digests[tag] = await registry.push('app', tag, files, annotations);
    }
  });

  afterAll(async () => {
    await registry?.[Symbol.asyncDispose]();
  });

  const here = (text: string) =>
    text
      .replaceAll('127.0.0.1:19500', `127.0.0.1:${registry.port}`)
      .replaceAll(/<digest-([^>]+)>/g, (_all, tag: string) => digests[tag] ?? '');

  const there = (name: string) => (text: string) => {
    let told = text.replaceAll(`127.0.0.1:${registry.port}`, '127.0.0.1:19500');
    for (const [tag, digest] of Object.entries(digests))
      told = told.replaceAll(digest, `<digest-${tag}>`);
    return unslashed(told).replaceAll(`<ns>/oci-${name}/`, `<ns>/${name}/`);
  };

  test.each(recordedOf('oci_registry'))('%s', async (name, recorded) => {
    const spec = JSON.parse(here(JSON.stringify(recorded.spec))) as object;
    const url = registry.urlOf('app');
    const all = { interval: '1h', insecure: true, url, ...spec };
    await cluster.create(ociRepositoryKind, `oci-${name}`, all);
    await compare(ociRepositoryKind, `oci-${name}`, recorded, there(name));
  });
});

describe.skipIf(traces.size === 0)('buckets', () => {
  let server: S3Server;

  beforeAll(async () => {
    server = await S3Server.start(['bkt-one']);
    // With these the revisions are theirs, too.
    const files = { 'a.yaml': 'x: 1', 'dir/b.yaml': 'y: 1', 'img.png': 'p', '.git/config': 'g' };
    for (const [key, content] of Object.entries(files)) await server.put('bkt-one', key, content);
    await cluster.secret('s3-keys', S3Server.keys);
    await cluster.secret('s3-incomplete', { accesskey: 'x' });
  });

  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
  });

  const specs: Readonly<Record<string, object>> = {
    ok: {},
    prefix: { prefix: 'dir/' },
    ignored: { ignore: '*.png\n' },
    nobucket: { bucketName: 'nope' },
    incomplete: { secretRef: { name: 's3-incomplete' } },
    'missing-secret': { secretRef: { name: 'ghost' } },
    anon: { secretRef: undefined },
    emptyprefix: { prefix: 'nothing/' },
  };
  // Theirs found out about wrong keys late, and gave up on a server that is not there later.
  const known = recordedOf('bucket_s3').filter(([name]) => specs[name] !== undefined);

  test.each(known)('%s', async (name, recorded) => {
    await cluster.create(bucketKind, `s3-${name}`, {
      bucketName: 'bkt-one',
      endpoint: server.endpoint,
      insecure: true,
      interval: '1h',
      secretRef: { name: 's3-keys' },
      ...specs[name],
    });
    const there = (text: string) =>
      unslashed(text)
        .replaceAll(`<ns>/s3-${name}/`, `<ns>/${name}/`)
        .replaceAll('s3-incomplete', 'incomplete');
    await compare(bucketKind, `s3-${name}`, recorded, there);
  });
});
