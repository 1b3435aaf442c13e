import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isSameMaterial, TlsMaterialSource } from './tls-material.ts';

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'waygate-material-'));
});
afterAll(async () => {
  await rm(directory, { recursive: true });
});

it('reads files again when they get old, so that rotated ones come into use', async () => {
  let now = 0;
  const caFile = join(directory, 'ca.crt');
  await writeFile(caFile, 'one');
  const source = new TlsMaterialSource({ caFile }, () => now);
  const first = await source.get({});
  await writeFile(caFile, 'two');
  now = 30_000;
  expect(isSameMaterial(await source.get({}), first)).toBe(true);
  now = 61_000;
  const second = await source.get({});
  expect(second.ca).toBe('two');
  expect(isSameMaterial(second, first)).toBe(false);
});

it('takes data before files, and a certificate of the credentials before both', async () => {
  const settings = { caData: 'CA', caFile: '/nope', certificateData: 'C', keyData: 'K' };
  const source = new TlsMaterialSource(settings, () => 0);
  expect(await source.get({})).toEqual({ ca: 'CA', certificate: 'C', key: 'K' });
  const certificate = { certificate: 'C2', key: 'K2' };
  expect(await source.get({ certificate })).toEqual({ ca: 'CA', certificate: 'C2', key: 'K2' });
});

it('says which file is missing', async () => {
  const source = new TlsMaterialSource({ caFile: '/no/such/ca' }, () => 0);
  await expect(source.get({})).rejects.toThrow('cannot read /no/such/ca');
});
