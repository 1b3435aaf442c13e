import type { Chart } from '../chart/chart.ts';
import { textOf } from '../chart/chart-file.ts';
import type { GoShape } from '../chart/go-shape.ts';
import { unmarshalYaml } from '../chart/go-yaml.ts';
import type { HelmMajor } from '../engine/values-type.ts';
import { readYaml } from '../formats/yaml-read.ts';
import { GoMap, itemsOf } from '../go/value.ts';
import { describeDeprecation } from './deprecation.ts';
import type { LintMessages } from './lint-messages.ts';
import { describeBadName } from './object-name.ts';

interface ManifestHead {
  apiVersion?: string;
  Kind?: string;
  Metadata?: { Namespace?: string; Name?: string };
}

const text: GoShape = { kind: 'string' };

const headShape: Readonly<Record<HelmMajor, GoShape>> = {
  3: headShapeOf('K8sYamlStruct'),
  4: headShapeOf('k8sYamlStruct'),
};

function headShapeOf(name: string): GoShape {
  return {
    kind: 'struct',
    name,
    in: 'rules',
    fields: {
      apiVersion: text,
      Kind: text,
      Metadata: {
        kind: 'struct',
        name: 'k8sYamlMetadata',
        in: 'rules',
        fields: { Namespace: text, Name: text },
      },
    },
  };
}

/** What the templates of a chart rendered to, by the names of their files. */
export function checkTemplates(
  chart: Chart,
  rendered: ReadonlyMap<string, string>,
  kubeVersion: string,
  helm: HelmMajor,
  messages: LintMessages,
): void {
  for (const file of chart.templates) {
    const { name } = file;
    messages.check('ERROR', name, extensionProblem(name));
    if (helm === 3) {
      messages.check('WARNING', name, crdHookProblem(textOf(file)));
      messages.check('ERROR', name, releaseTimeProblem(textOf(file)));
    }
    const isYaml = helm === 3 ? name.endsWith('.yaml') : /\.ya?ml$/i.test(name);
    const content = rendered.get(`${chart.metadata.name}/${name}`) ?? '';
    if (!isYaml || content.trim() === '') continue;
    messages.check('WARNING', name, indentProblem(content));
    const goesOn = checkDocuments(content, helm, messages, name, (head) => {
      const { Kind: kind = '', Metadata: metadata = {}, apiVersion = '' } = head;
      messages.check('WARNING', name, describeBadName(kind, metadata.Name ?? ''));
      messages.check('WARNING', name, describeDeprecation(apiVersion, kind, kubeVersion));
      messages.check('ERROR', name, selectorProblem(kind, metadata.Name ?? '', content));
      messages.check('ERROR', name, listProblem(kind, content, helm));
    });
    if (!goesOn) return;
  }
}

/** CRDs are no templates, and nothing else is in their directory. */
export function checkCrds(
  crds: readonly { readonly name: string; readonly content: string }[],
  helm: HelmMajor,
  messages: LintMessages,
): void {
  for (const { name, content } of crds) {
    const goesOn = checkDocuments(content, helm, messages, name, ({ apiVersion = '', Kind }) => {
      const isExtension = apiVersion.startsWith('apiextensions.k8s.io');
      messages.check(
        'ERROR',
        name,
        isExtension ? undefined : "apiVersion is not in 'apiextensions.k8s.io'",
      );
      const isDefinition = Kind === 'CustomResourceDefinition';
      messages.check(
        'ERROR',
        name,
        isDefinition ? undefined : "object kind is not 'CustomResourceDefinition'",
      );
    });
    if (!goesOn) return;
  }
}

function checkDocuments(
  content: string,
  helm: HelmMajor,
  messages: LintMessages,
  name: string,
  check: (head: ManifestHead) => void,
): boolean {
  for (const document of content.split(/\n---[^\n]*(?:\n|$)/)) {
    const head: ManifestHead = {};
    let isNull = false;
    try {
      isNull = readYaml(document) === null;
      unmarshalYaml(document, headShape[helm], head);
    } catch (error) {
      messages.check('ERROR', name, `unable to parse YAML: ${(error as Error).message}`);
      return false;
    }
    if (!isNull) check(head);
  }
  return true;
}

function extensionProblem(name: string): string | undefined {
  const base = name.slice(name.lastIndexOf('/') + 1);
  const dot = base.lastIndexOf('.');
  const extension = dot < 0 ? '' : base.slice(dot);
  if (['.yaml', '.yml', '.tpl', '.txt'].includes(extension)) return undefined;
  return `file extension '${extension}' not valid. Valid extensions are .yaml, .yml, .tpl, or .txt`;
}

function crdHookProblem(template: string): string | undefined {
  if (!/"?helm\.sh\/hook"?:\s+crd-install/.test(template)) return undefined;
  return 'manifest is a crd-install hook. This hook is no longer supported in v3 and all CRDs should also exist the crds/ directory at the top level of the chart';
}

function releaseTimeProblem(template: string): string | undefined {
  if (!template.includes('.Release.Time')) return undefined;
  return '.Release.Time has been removed in v3, please replace with the `now` function in your templates';
}

function indentProblem(content: string): string | undefined {
  const line = content.split('\n').find((each) => each.trim() !== '') ?? '';
  if (!/^[ \t]/.test(line)) return undefined;
  return `document starts with an illegal indent: ${JSON.stringify(line)}, which may cause parsing problems`;
}

function selectorProblem(kind: string, name: string, content: string): string | undefined {
  if (!['Deployment', 'ReplicaSet', 'DaemonSet', 'StatefulSet'].includes(kind)) return undefined;
  if (content.includes('matchLabels') || content.includes('matchExpressions')) return undefined;
  return `a ${kind} must contain matchLabels or matchExpressions, and ${JSON.stringify(name)} does not`;
}

function listProblem(kind: string, content: string, helm: HelmMajor): string | undefined {
  if (kind !== 'List') return undefined;
  const data = readYaml(content);
  const items = data instanceof GoMap ? itemsOf(data.get('items')) : undefined;
  const isKept = items?.some((item) => {
    const metadata = item instanceof GoMap ? item.get('metadata') : undefined;
    const annotations = metadata instanceof GoMap ? metadata.get('annotations') : undefined;
    return annotations instanceof GoMap && annotations.has('helm.sh/resource-policy');
  });
  if (isKept !== true) return undefined;
  const word = helm === 3 ? 'Annotation' : 'annotation';
  return `${word} 'helm.sh/resource-policy' within List objects are ignored`;
}
