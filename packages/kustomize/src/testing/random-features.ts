import { Random } from './random.ts';
import { featureFields } from './random-feature-fields.ts';
import { randomObjects } from './random-objects.ts';
import { type Wild, wildYaml } from './wild-yaml.ts';

/** Files by path: resources in wild YAML, and an overlay with any of the features; build `top`. */
export function randomFeatures(seed: number): Record<string, string> {
  const random = new Random(seed * 7919 + 17);
  const files: Record<string, string> = {};
  const objects = randomObjects(random);
  addFiles(random, files, 'base', objects);
  const base: { [key: string]: Wild } = { resources: fileNames(files, 'base') };
  if (random.chance(0.4)) Object.assign(base, featureFields(random, files, 'base'));
  files['base/kustomization.yaml'] = wildYaml(random, base);
  const top: { [key: string]: Wild } = {
    ...(random.chance(0.3)
      ? { apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization' }
      : {}),
    resources: ['../base'],
    ...featureFields(random, files, 'top'),
  };
  files['top/kustomization.yaml'] = wildYaml(random, top);
  return files;
}

function addFiles(
  random: Random,
  files: Record<string, string>,
  directory: string,
  objects: readonly Wild[],
): void {
  objects.forEach((object, index) => {
    const text = wildYaml(random, object);
    const path = `${directory}/r${random.chance(0.3) ? 0 : index}.yaml`;
    const before = files[path];
    const isPlainText = !text.includes('\r') && before?.includes('\r') !== true;
    if (before === undefined) files[path] = text;
    else if (isPlainText) files[path] = `${before}---\n${text.replace(/^---\n/, '')}`;
    else files[`${directory}/more${index}.yaml`] = text;
  });
}

function fileNames(files: Record<string, string>, directory: string): string[] {
  return Object.keys(files)
    .filter((path) => path.startsWith(`${directory}/`))
    .map((path) => path.slice(directory.length + 1));
}
