import { describe, expect, test } from 'vitest';
import { KongEntities } from '../sync/kong-entities.ts';
import { dumpConfig } from './dump-config.ts';
import { writeDeckYaml } from './write-yaml.ts';

function entitiesWith(setName: string | null): KongEntities {
  const state = new KongEntities();
  state.put('key_sets', { id: 'set-1', name: setName });
  state.put('keys', { id: 'key-1', name: 'k', kid: 'k1', jwk: '{}', set: { id: 'set-1' } });
  state.put('keys', { id: 'key-2', name: 'alone', kid: 'k2', jwk: '{}' });
  return state;
}

describe('keys stand beside their sets, where decK looks for them', () => {
  test.each([
    ['s', false, { name: 's' }, [{ name: 's' }]],
    ['s', true, { id: 'set-1', name: 's' }, [{ id: 'set-1', name: 's' }]],
    [null, false, { id: 'set-1' }, [{ id: 'set-1' }]],
  ])('the set is named %j, with ids: %s', (name, withIds, set, sets) => {
    const { key_sets, keys } = dumpConfig(entitiesWith(name), { withIds });
    expect(key_sets).toEqual(sets);
    const [alone, key] = [...(keys ?? [])].sort((one, two) =>
      String(one.name) < String(two.name) ? -1 : 1,
    );
    expect(key).toMatchObject({ name: 'k', set });
    expect(alone).not.toHaveProperty('set');
  });
});

test.each([
  ['3.0', ['team', 'other']],
  ['1.1', ['other']],
] as const)('the tags that select stay on entities in the format %s: %j', (formatVersion, tags) => {
  const state = new KongEntities();
  state.put('services', { id: 's', name: 's', host: 'h', tags: ['team', 'other'] });
  const dumped = dumpConfig(state, { formatVersion, selectTags: ['team'] });
  expect(dumped).toMatchObject({ _info: { select_tags: ['team'] }, services: [{ tags }] });
});

test('a file has its keys in the order of the alphabet, but for those of old', () => {
  const state = new KongEntities();
  state.put('services', { id: 's', name: 's', host: 'h', tags: ['t'], write_timeout: 1 });
  state.put('routes', { id: 'r', name: 'r', paths: ['/'], service: { id: 's' } });
  state.put('consumers', { id: 'c', username: 'c' });
  const keys = (formatVersion: '1.1' | '3.0'): (string | undefined)[] =>
    writeDeckYaml(dumpConfig(state, { formatVersion, selectTags: ['x'] }))
      .split('\n')
      .map((line) => /[a-z_]+(?=:)/.exec(line)?.[0])
      .filter((key) => key !== undefined);
  const service = ['host', 'name', 'routes', 'name', 'paths', 'tags', 'write_timeout'];
  expect(keys('3.0')).toEqual([
    ...['_format_version', '_info', 'defaults', 'select_tags', 'consumers', 'username'],
    ...['services', ...service],
  ]);
  expect(keys('1.1').slice(0, 4)).toEqual(['_format_version', '_info', 'select_tags', 'services']);
});
