import { printYaml } from '@waygate/text';
import { describe, expect, test } from 'vitest';
import { FileTree } from '../artifact/file-tree.ts';
import { buildManifests } from '../kustomization/build-manifests.ts';
import { encrypted } from '../testing/sops-encryption.ts';
import type { SopsDecryption } from './sops-decryptor.ts';

const secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 's', namespace: 'n' },
  stringData: { password: 'hunter2' },
};

async function build(files: Record<string, string>, decryption: SopsDecryption) {
  const tree = FileTree.of(
    Object.entries(files).map(([path, text]) => ({ path, content: Buffer.from(text) })),
  );
  const spec = { interval: '1h', prune: true, sourceRef: { kind: 'GitRepository', name: 's' } };
  const { objects } = await buildManifests({
    files: tree,
    path: '/',
    spec,
    variables: new Map(),
    isStrict: true,
    decryption,
  });
  return objects;
}

describe('a whole manifest that is encrypted', () => {
  test('is decrypted, wherever it is listed', async () => {
    const { file, keys } = await encrypted(secret, '^(data|stringData)$');
    const decryption = { keys };
    const text = printYaml(file);
    expect(await build({ 's.yaml': text }, decryption)).toEqual([secret]);
    const nested = {
      'kustomization.yaml': 'resources: [base]\nnamePrefix: pre-\n',
      'base/kustomization.yaml': 'resources: [s.yaml]\n',
      'base/s.yaml': text,
    };
    expect(await build(nested, decryption)).toMatchObject([
      { metadata: { name: 'pre-s' }, stringData: { password: 'hunter2' } },
    ]);
  });

  test('is refused when something plain in it was changed, unless that is allowed', async () => {
    const { file, keys } = await encrypted(secret, '^(data|stringData)$');
    const files = { 's.yaml': printYaml({ ...file, metadata: { name: 'other', namespace: 'n' } }) };
    await expect(build(files, { keys })).rejects.toThrow(/s\.yaml.*checksum/);
    const lenient = { keys, checksManifests: false };
    expect(await build(files, lenient)).toMatchObject([{ metadata: { name: 'other' } }]);
  });

  test('may stand beside others that were encrypted on their own, and plain ones', async () => {
    const one = await encrypted(secret, '^stringData$');
    const two = await encrypted({ ...secret, metadata: { name: 't' } }, '^stringData$');
    const keys = { age: [...one.keys.age, ...two.keys.age], pgp: [] };
    const plain = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\n';
    const text = [printYaml(one.file), plain, printYaml(two.file)].join('---\n');
    const objects = await build({ 'all.yaml': text }, { keys });
    expect(objects.map(({ metadata }) => metadata.name)).toEqual(['s', 'c', 't']);
  });

  test('that is meant to stay encrypted is not looked into', async () => {
    const annotations = { 'kustomize.toolkit.fluxcd.io/decrypt': 'disabled' };
    const { file } = await encrypted(
      { ...secret, metadata: { name: 's', annotations } },
      '^stringData$',
    );
    const [object] = await build({ 's.yaml': printYaml(file) }, { keys: noKeys });
    expect(object?.sops).toBeDefined();
  });

  test('for a service that cannot be asked says so', async () => {
    const { file } = await encrypted(secret, '^stringData$');
    const sops = { ...(file.sops as object), age: [], kms: [{ arn: 'arn:aws:kms:x', enc: 'y' }] };
    const text = printYaml({ ...file, sops });
    await expect(build({ 's.yaml': text }, { keys: noKeys })).rejects.toThrow(
      /arn:aws:kms:x.*decryption by AWS KMS is not supported/,
    );
  });
});

const noKeys = { age: [], pgp: [] };
