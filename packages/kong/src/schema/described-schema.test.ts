import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { describedSchema } from './described-schema.ts';
import { type WireField, type WireSchema, wireSchema } from './schema-catalog.ts';
import { supplementarySchemas } from './supplementary-schemas.ts';

const data = new URL('../../data/', import.meta.url);
const catalog = JSON.parse(
  readFileSync(new URL('generated/kong-3.9-schemas.json', data), 'utf8'),
) as Record<string, WireSchema>;
const names = [...Object.keys(catalog), ...Object.keys(supplementarySchemas)];
const lines = readFileSync(new URL('field-descriptions.txt', data), 'utf8')
  .split('\n')
  .filter((line) => /^[^#[].*: /.test(line));

/** Every field, element, key and value of a schema, with where it stands. */
function* places(
  fields: WireSchema['fields'],
  path = '',
): Generator<{ path: string; field: WireField }> {
  for (const entry of fields)
    for (const [name, field] of Object.entries(entry))
      yield* placesOf(field, path === '' ? name : `${path}.${name}`);
}

function* placesOf(field: WireField, path: string): Generator<{ path: string; field: WireField }> {
  yield { path, field };
  yield* places(field.fields ?? [], path);
  yield* places(field.shorthand_fields ?? [], path);
  if (field.elements !== undefined) yield* placesOf(field.elements, `${path}.*`);
  if (field.values !== undefined) yield* placesOf(field.values, `${path}.*`);
  if (field.keys !== undefined) yield* placesOf(field.keys, `${path}.@`);
}

/** Whether Kong may describe it: nothing does `config` itself, nor a record in a list, but what is in them. */
const isDescribed = (path: string, { fields }: WireField) =>
  path !== 'config' && !(/[*@]$/.test(path) && fields !== undefined);

describe('descriptions', () => {
  test.each(names)('each field of %s has one', (name) => {
    const schema = describedSchema(name) as WireSchema;
    const bare = [...places(schema.fields)]
      .filter(
        ({ path, field }) => isDescribed(path, field) && typeof field.description !== 'string',
      )
      .map(({ path }) => path);
    expect(bare).toEqual([]);
  });

  test('there is no line that no field has', () => {
    const used = new Set(
      names.flatMap((name) =>
        [...places(describedSchema(name)?.fields ?? [])].map(({ field }) => field.description),
      ),
    );
    const unused = lines.filter((line) => !used.has(line.slice(line.indexOf(': ') + 2)));
    expect(unused).toEqual([]);
  });

  test('each is of one or two sentences, short enough for a tooltip', () => {
    const wrong = lines.filter((line) => !/^[\w.*@-]+: .*[.]$/.test(line) || line.length > 170);
    expect(wrong).toEqual([]);
  });

  test('the schema is otherwise the same, and the shared one is left alone', () => {
    const without = JSON.stringify(describedSchema('plugin-acme'), (key, value: unknown) =>
      key === 'description' ? undefined : value,
    );
    expect(JSON.parse(without)).toEqual(wireSchema('plugin-acme'));
    expect(JSON.stringify(wireSchema('plugin-acme'))).not.toContain('"description"');
  });

  test.each([
    ['services', 'host', /^The upstream/],
    ['plugin-tcp-log', 'config.host', /entries are sent/],
    ['plugin-rate-limiting', 'config.redis.host', /Redis/],
    ['plugin-acme', 'config.storage_config.consul.host', /^A host name/],
    ['plugin-acme', 'config.storage_config.redis.auth', /old name/],
    ['routes-flavor-expressions', 'expression', /router/],
    ['routes-flavor-traditional', 'paths.*', /regular expression/],
    ['plugin-ai-request-transformer', 'config.llm.model.options.gemini.project_id', /Google/],
    ['upstreams', 'healthchecks.active.unhealthy.interval', /ill/],
    ['upstreams', 'healthchecks.active.healthy.interval', /well/],
  ])('%s says of %s what it means there', (name, path, text) => {
    const all = [...places(describedSchema(name)?.fields ?? [])];
    expect(all.find((place) => place.path === path)?.field.description).toMatch(text);
  });

  test('a schema that there is none of has none', () => {
    expect(describedSchema('plugin-nothing')).toBeUndefined();
    expect(describedSchema('toString')).toBeUndefined();
  });
});
