import { Random } from './random.ts';
import { estateFields } from './random-estate-fields.ts';
import { estateObjects } from './random-estate-objects.ts';

/**
 * Files by path: a base with the objects of a small estate, perhaps a layer and a component, and an
 * overlay, each with a few fields. Most of these build; the directory to build is `top`.
 */
export function randomEstate(seed: number): Record<string, string> {
  const random = new Random(seed * 104_729 + 11);
  const files: Record<string, string> = {};
  const paths = addObjects(random, files);
  files['base/kustomization.yaml'] = [
    `resources: [${paths.join(', ')}]\n`,
    'configMapGenerator:\n- name: settings\n  literals: [base=1, a=x]\n',
    random.chance(0.5) ? estateFields(random, files, 'base', ['configMapGenerator']) : '',
  ].join('');
  let below = '../base';
  if (random.chance(0.4)) {
    files['mid/kustomization.yaml'] =
      `resources: [../base]\n${estateFields(random, files, 'mid', [])}`;
    below = '../mid';
  }
  let components = '';
  if (random.chance(0.4)) {
    const fields = estateFields(random, files, 'part', ['buildMetadata', 'sortOptions']);
    files['part/kustomization.yaml'] =
      `apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n${fields}`;
    components = 'components: [../part]\n';
  }
  const top = `resources: [${below}]\n${components}${estateFields(random, files, 'top', [])}`;
  files['top/kustomization.yaml'] = random.chance(0.05) ? top.replaceAll('\n', '\r\n') : top;
  return files;
}

/** Writes the objects, some of them together in a file, and returns the names of the files. */
function addObjects(random: Random, files: Record<string, string>): string[] {
  const paths: string[] = [];
  estateObjects(random).forEach((object, index) => {
    const text = roughened(random, object);
    const last = `base/${paths.at(-1)}`;
    const isPlain = /^[^\ufeff\r]*$/.test(text + (files[last] ?? ''));
    if (index > 0 && isPlain && random.chance(0.25)) {
      const separator = text.startsWith('---') ? '' : '---\n';
      files[last] = `${files[last]!.replace(/\n*$/, '\n')}${separator}${text}`;
      return;
    }
    paths.push(`r${index}.yaml`);
    files[`base/r${index}.yaml`] = text;
  });
  return paths;
}

/** Comments, document marks and line ends where authors and editors leave them. */
function roughened(random: Random, text: string): string {
  let result = text;
  if (random.chance(0.1)) result = `# head\n\n${result}`;
  if (random.chance(0.07)) result = `---\n${result}`;
  if (random.chance(0.07)) result = result.replace('\n', '  # note\n');
  if (random.chance(0.05)) result = result.replaceAll('\n', '\r\n');
  if (random.chance(0.05)) result = `\ufeff${result}`;
  if (random.chance(0.05)) result += '\n---\n';
  if (random.chance(0.05)) result += '---\n# only a comment\n';
  return random.chance(0.04) ? result.trimEnd() : result;
}
