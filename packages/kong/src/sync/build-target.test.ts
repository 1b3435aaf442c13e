import { describe, expect, it } from 'vitest';
import type { DeclarativeConfig } from '../entity/declarative-config.ts';
import { buildTarget } from './build-target.ts';
import { KongEntities } from './kong-entities.ts';

const id = (digit: number) => `0000000${digit}-0000-4000-8000-000000000000`;

function build(
  config: DeclarativeConfig,
  options: { current?: KongEntities; lookup?: KongEntities } = {},
) {
  let count = 0;
  const newId = () => {
    count += 1;
    return `00000000-0000-4000-9000-00000000000${count}`;
  };
  const { current = new KongEntities(), ...rest } = options;
  return buildTarget(config, { current, newId, ...rest });
}

describe('buildTarget', () => {
  it('takes the id of the entity that the server has', () => {
    const current = new KongEntities();
    current.put('services', { id: id(1), name: 'a' });
    current.put('consumers', { id: id(2), username: 'old', custom_id: 'c-1' });
    current.put('plugins', { id: id(3), name: 'cors', service: { id: id(1) } });
    const { target } = build(
      {
        services: [{ name: 'a', host: 'h', plugins: [{ name: 'cors' }] }],
        consumers: [{ username: 'new', custom_id: 'c-1' }],
      },
      { current },
    );
    expect(target.get('services', id(1))?.host).toBe('h');
    expect(target.get('plugins', id(3))).toMatchObject({ service: { id: id(1) } });
    expect(target.get('consumers', id(2))?.username).toBe('new');
  });

  it('nests to any depth and merges shared plugin configurations', () => {
    const { target, problems } = build({
      _plugin_configs: { limits: { minute: 5, redis: { host: 'r', port: 1 } } },
      services: [
        {
          name: 'a',
          routes: [
            {
              name: 'r',
              plugins: [
                { name: 'rate-limiting', _config: 'limits', config: { redis: { port: 2 } } },
              ],
            },
          ],
        },
      ],
    });
    expect(problems).toEqual([]);
    const [plugin] = [...target.values('plugins')];
    expect(plugin).toMatchObject({ config: { minute: 5, redis: { host: 'r', port: 2 } } });
    expect(plugin).not.toHaveProperty('_config');
    expect(plugin?.route).toEqual({ id: [...target.values('routes')][0]?.id });
  });

  it('fills the defaults of the file into what is left open', () => {
    const { target } = build({
      _info: { defaults: { service: { port: 8080, retries: 1 } } },
      services: [{ name: 'a', port: 80 }],
    });
    expect([...target.values('services')][0]).toMatchObject({ port: 80, retries: 1 });
  });

  it('refers to entities of other owners, by name, without managing them', () => {
    const lookup = new KongEntities();
    lookup.put('services', { id: id(1), name: 'theirs' });
    const config: DeclarativeConfig = { plugins: [{ name: 'cors', service: 'theirs' }] };
    expect(build(config).problems[0]?.message).toBe(
      'building state: service theirs for plugin cors: entity not found',
    );
    const { target, problems } = build(config, { lookup });
    expect(problems).toEqual([]);
    expect(target.count('services')).toBe(0);
    expect([...target.values('plugins')][0]?.service).toEqual({ id: id(1) });
  });

  it('leaves out only what is wrong', () => {
    const { target, problems } = build({
      services: [{ name: 'a' }, { name: 'a' }, { name: 'b' }],
      consumers: [{ username: 'c', groups: [{ name: 'g' }] }],
    });
    expect(target.count('services')).toBe(2);
    expect(problems.map(({ message }) => message)).toEqual([
      'building state: inserting service a: entity already exists',
      expect.stringMatching(
        /^building state: consumer-group 'g' not found for consumer '[-0-9a-f]{36}'$/,
      ),
    ]);
  });

  it('takes an empty scope of a plugin for none', () => {
    const plugins = [{ name: 'prometheus', service: '', consumer: '' }];
    const config = { plugins } as unknown as DeclarativeConfig;
    const { target, problems } = buildTarget(config, {
      current: new KongEntities(),
      newId: () => 'new',
    });
    expect(problems).toEqual([]);
    expect([...target.values('plugins')]).toEqual([{ id: 'new', name: 'prometheus' }]);
  });
});
