import { expect, test } from 'vitest';
import { FileTree } from '../artifact/file-tree.ts';
import { generateKustomization } from './generate.ts';

const object = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n';

function generated(files: Readonly<Record<string, string>>): string {
  const tree = FileTree.of(
    Object.entries(files).map(([path, text]) => ({
      path,
      isExecutable: false,
      content: Buffer.from(text),
    })),
  );
  return generateKustomization(tree, '/', {}).text;
}

test('the project file of waygate up is no manifest, even while it is being written', () => {
  for (const text of ['services:\n  web: {attach: 3000}\n', '', 'services: [', '- 1\n']) {
    const built = generated({ 'a.yaml': object, 'waygate.yaml': text, 'below/waygate.yaml': text });
    expect(built).toContain('./a.yaml');
    expect(built).not.toContain('waygate.yaml');
  }
});

test('an object in a file of that name is one', () => {
  expect(generated({ 'waygate.yaml': object })).toContain('./waygate.yaml');
});
