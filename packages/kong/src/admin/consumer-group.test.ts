import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import type { DeclarativeConfig } from '../entity/declarative-config.ts';
import type { JsonObject } from '../entity/entities.ts';
import { entityKinds } from '../entity/entity-kinds.ts';
import { dumpConfig } from '../file/dump-config.ts';
import { referenceId } from '../store/entity-collection.ts';
import { EntityStore } from '../store/entity-store.ts';
import { AdminClient } from './admin-client.ts';
import { applyPlan, type PrepareOptions, prepareSync, rollbackPlan } from './prepare-sync.ts';
import { readState } from './read-state.ts';

let server: Server | undefined;
let client: AdminClient | undefined;
const writes: string[] = [];

/** Consumer groups as Kong Enterprise has them; `listKey` is `consumers` before its version 3.5. */
async function start(listKey: 'data' | 'consumers'): Promise<AdminClient> {
  writes.length = 0;
  const store = new EntityStore({ validation: 'off' });
  const members = new Map<string, Set<string>>();
  const membersOf = (group: string) => {
    const set = members.get(group) ?? new Set<string>();
    members.set(group, set);
    return set;
  };
  const answer = (
    method: string,
    { pathname, searchParams }: URL,
    body: JsonObject,
  ): readonly [number, unknown?] => {
    const tags = searchParams.get('tags')?.split(',') ?? [];
    const [collection = '', id, nested, member] = pathname.split('/').slice(1);
    const kind = entityKinds.find((candidate) => candidate.path === collection);
    if (kind === undefined) return [404, { message: 'Not found' }];
    if (nested === 'consumers' && id !== undefined) {
      const group = membersOf(id);
      if (method === 'GET') {
        return [200, { [listKey]: [...group].map((one) => store.get('consumers', one)) }];
      }
      if (method === 'POST') group.add(String(body.consumer));
      else group.delete(String(member));
      return [method === 'POST' ? 201 : 204, {}];
    }
    if (method === 'GET') {
      const all = [...store.all(kind.collection)];
      const hasAll = (own: unknown) => tags.every((tag) => (own as string[] | null)?.includes(tag));
      return [200, { data: all.filter((entity) => hasAll(entity.tags)) }];
    }
    if (method === 'DELETE') {
      for (const group of members.values()) group.delete(id ?? '');
      store.delete(kind.collection, id ?? '');
      return [204];
    }
    const result = store.upsert(kind.collection, id ?? '', body);
    return result.kind === 'error'
      ? [result.error.status, result.error.body]
      : [200, result.entity];
  };
  server = createServer(async (request, response) => {
    const { method = '', url = '' } = request;
    const body = await text(request);
    if (method !== 'GET') writes.push(`${method} ${url.split('/')[1]}/${url.split('/')[3] ?? ''}`);
    const [status, value] = answer(
      method,
      new URL(url, 'http://kong'),
      body ? JSON.parse(body) : {},
    );
    response.writeHead(status).end(value === undefined ? '' : JSON.stringify(value));
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  client = new AdminClient({ url: `http://127.0.0.1:${port}` });
  return client;
}

afterEach(async () => {
  await client?.close();
  server?.closeAllConnections();
  await new Promise((resolve) => server?.close(resolve));
});

async function sync(admin: AdminClient, config: DeclarativeConfig, options: PrepareOptions = {}) {
  const prepared = await prepareSync(admin, config, options);
  expect(prepared.problems).toEqual([]);
  const result = await applyPlan(admin, prepared.plan);
  expect(result.failed).toEqual([]);
  return { prepared, result };
}

const config: DeclarativeConfig = {
  consumer_groups: [
    { name: 'gold', plugins: [{ name: 'rate-limiting', config: { minute: 9, policy: 'local' } }] },
    { name: 'silver', consumers: [{ username: 'bob' }] },
  ],
  consumers: [
    { username: 'alice', groups: [{ name: 'gold' }, { name: 'silver' }] },
    { username: 'bob', groups: [{ name: 'silver' }] },
  ],
};

describe.each(['data', 'consumers'] as const)('members of consumer groups (as %s)', (listKey) => {
  it('are written after both sides, seen as there, and removed one by one', async () => {
    const admin = await start(listKey);
    const { prepared } = await sync(admin, config);
    const labels = prepared.plan.operations.map(({ op, label }) => `${op} ${label}`);
    expect(labels).toContain('create alice for consumer-group gold');
    expect(labels).toContain('create rate-limiting for consumer-group gold');
    expect(writes.filter((write) => write === 'POST consumer_groups/consumers')).toHaveLength(3);
    expect((await prepareSync(admin, config)).plan.operations).toEqual([]);

    writes.length = 0;
    const { result } = await sync(admin, {
      consumer_groups: config.consumer_groups?.slice(0, 1) ?? [],
      consumers: [{ username: 'alice', groups: [{ name: 'gold' }] }, { username: 'bob' }],
    });
    expect(result.done.map(({ op, label }) => `${op} ${label}`).sort()).toEqual([
      'delete alice for consumer-group silver',
      'delete bob for consumer-group silver',
      'delete silver',
    ]);
  });

  it('are dumped with the consumer, and a dump brings them back', async () => {
    const admin = await start(listKey);
    await sync(admin, config);
    const dumped = dumpConfig(await readState(admin));
    expect(dumped.consumers?.map(({ username, groups }) => [username, groups])).toEqual([
      ['alice', [{ name: 'gold' }, { name: 'silver' }]],
      ['bob', [{ name: 'silver' }]],
    ]);
    expect(dumped.consumer_groups?.[0]).toMatchObject({ plugins: [{ name: 'rate-limiting' }] });
    expect((await prepareSync(admin, dumped)).plan.operations).toEqual([]);
  });

  it('are put back by a rollback', async () => {
    const admin = await start(listKey);
    await sync(admin, config);
    const { prepared, result } = await sync(admin, { consumers: [{ username: 'alice' }] });
    await applyPlan(admin, rollbackPlan(prepared.current, result));
    expect((await prepareSync(admin, config)).plan.operations).toEqual([]);
  });
});

it('leaves memberships alone when it is told to, without asking for them', async () => {
  const admin = await start('data');
  await sync(admin, config);
  const alone = {
    consumer_groups:
      config.consumer_groups?.map(({ consumers: _members, ...group }) => group) ?? [],
    consumers: [{ username: 'alice' }, { username: 'bob' }],
  };
  const skipping = await prepareSync(admin, alone, { skipsMemberships: true });
  expect(skipping.plan.operations).toEqual([]);
  expect(skipping.current.count('consumer_group_consumers')).toBe(0);
  expect((await prepareSync(admin, alone)).plan.operations).toHaveLength(3);
  const declared = await prepareSync(admin, config, { skipsMemberships: true });
  expect(declared.plan.operations).toEqual([]);
});

it('refuses a group that nothing declares', async () => {
  const admin = await start('data');
  const wrong = { consumers: [{ username: 'alice', groups: [{ name: 'nope' }] }] };
  expect((await prepareSync(admin, wrong)).problems).toMatchObject([
    { message: expect.stringContaining("consumer-group 'nope' not found for consumer '") },
  ]);
});

it('gives two groups the same plugin, and says of each in a dump what is not as usual', async () => {
  const admin = await start('data');
  const plugin = { name: 'limiter', config: { limit: [1, 2] } };
  const both: DeclarativeConfig = {
    consumer_groups: [
      { name: 'gold', tags: ['metal'], plugins: [plugin] },
      { name: 'silver', plugins: [{ ...plugin, enabled: false }] },
    ],
    consumers: [{ username: 'ann', groups: [{ name: 'gold' }] }],
  };
  await sync(admin, both);
  expect((await prepareSync(admin, both)).plan.operations).toEqual([]);
  const dumped = dumpConfig(await readState(admin));
  expect(dumped).toEqual({
    _format_version: '3.0',
    ...both,
    consumers: [{ username: 'ann', groups: [{ name: 'gold', tags: ['metal'] }] }],
  });
  expect((await prepareSync(admin, dumped)).plan.operations).toEqual([]);
});

it('makes a consumer that only the list of a group declares, and changes it there', async () => {
  const admin = await start('data');
  const named = (consumer: {
    readonly username: string;
    readonly tags?: readonly string[];
  }): DeclarativeConfig => ({
    consumer_groups: [{ name: 'gold', consumers: [consumer] }],
  });
  const { prepared } = await sync(admin, named({ username: 'ann', tags: ['a'] }));
  const labels = prepared.plan.operations.map(({ op, label }) => `${op} ${label}`);
  expect(labels).toContain('create ann');
  const changed = await sync(admin, named({ username: 'ann', tags: ['a', 'b'] }), {
    isPartial: true,
  });
  expect(changed.result.done.map(({ op, label }) => `${op} ${label}`)).toEqual(['update ann']);
  // To name her is not to say that she has no tags.
  const bare = await prepareSync(admin, named({ username: 'ann' }), { isPartial: true });
  expect(bare.plan.operations).toEqual([]);
});

it('finds a consumer by its own id, though it is the name of another', async () => {
  const admin = await start('data');
  const twins: DeclarativeConfig = {
    consumer_groups: [{ name: 'gold', consumers: [{ custom_id: 'foo' }] }],
    consumers: [{ username: 'foo' }, { custom_id: 'foo' }],
  };
  const { prepared } = await sync(admin, twins);
  const [membership] = prepared.target.values('consumer_group_consumers');
  const id = referenceId(membership?.consumer) ?? '';
  expect(prepared.target.get('consumers', id)).toMatchObject({ custom_id: 'foo' });
});

describe('members and groups of another owner', () => {
  const theirs: DeclarativeConfig = {
    _info: { select_tags: ['theirs'] },
    consumers: [{ username: 'ann' }],
    consumer_groups: [{ name: 'shared', consumers: [{ username: 'ann' }] }],
  };
  const ours: DeclarativeConfig = {
    _info: { select_tags: ['ours'], default_lookup_tags: { consumer_groups: ['theirs'] } },
    consumers: [{ username: 'bob', groups: [{ name: 'shared' }] }],
  };

  it('are joined once, and their own members stay', async () => {
    const admin = await start('data');
    await sync(admin, theirs);
    await sync(admin, ours);
    expect((await prepareSync(admin, ours)).plan.operations).toEqual([]);
    expect((await prepareSync(admin, theirs)).plan.operations).toEqual([]);
    const left = await sync(admin, { ...ours, consumers: [{ username: 'bob' }] });
    expect(left.result.done.map(({ op, label }) => `${op} ${label}`)).toEqual([
      expect.stringMatching(/^delete bob for consumer-group /),
    ]);
  });

  it('are taken into a group of ours by name', async () => {
    const admin = await start('data');
    await sync(admin, theirs);
    const group: DeclarativeConfig = {
      _info: { select_tags: ['ours'], default_lookup_tags: { consumers: ['theirs'] } },
      consumer_groups: [{ name: 'mine', consumers: [{ username: 'ann' }] }],
    };
    const { result } = await sync(admin, group);
    expect(result.done.map(({ op, label }) => `${op} ${label}`)).toEqual([
      'create mine',
      expect.stringMatching(/ for consumer-group mine$/),
    ]);
    expect((await prepareSync(admin, group)).plan.operations).toEqual([]);
  });

  it('stay, where a file without tags refers to them', async () => {
    const admin = await start('data');
    await sync(admin, {
      _info: { select_tags: ['theirs'] },
      consumer_groups: [{ name: 'shared' }],
    });
    const whole: DeclarativeConfig = {
      _info: { default_lookup_tags: { consumer_groups: ['theirs'] } },
      consumers: [{ username: 'bob', groups: [{ name: 'shared' }] }],
    };
    const { result } = await sync(admin, whole);
    expect(result.done.map(({ op }) => op)).toEqual(['create', 'create']);
    expect((await prepareSync(admin, whole)).plan.operations).toEqual([]);
  });
});
