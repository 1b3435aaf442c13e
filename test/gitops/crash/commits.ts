/** The kinds that the commits have objects of. */
export const ownedNames = [
  { apiVersion: 'v1', kind: 'ConfigMap' },
  { apiVersion: 'v1', kind: 'Namespace' },
  { apiVersion: 'example.com/v1', kind: 'Widget' },
  { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
] as const;

const map = (name: string, value = 'x', namespace = 'default') =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: ${namespace}}\ndata: {value: "${value}"}\n`;

const widget = (name: string) =>
  `apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: ${name}, namespace: default}\nspec: {}\n`;

const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, listKind: WidgetList, plural: widgets, singular: widget}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object}}}}
`;

/**
 * What is in the repository, commit by commit: objects come, change, go and move, one stays as it is,
 * and one commit has an object that only it has, so that a crash may lose track of it.
 */
export const commits: readonly Readonly<Record<string, string>>[] = [
  {
    'a/kept.yaml': map('kept'),
    'a/moved.yaml': map('moved'),
    'a/first.yaml': map('first'),
    'a/definition.yaml': definition,
    'a/widget.yaml': widget('one'),
    'b/other.yaml': map('other'),
  },
  {
    'a/kept.yaml': map('kept'),
    'a/second.yaml': map('second'),
    'a/changed.yaml': map('changed', '2'),
    'a/definition.yaml': definition,
    'a/widget.yaml': `${widget('one')}---\n${widget('two')}`,
    'b/other.yaml': map('other'),
    'b/moved.yaml': map('moved'),
  },
  {
    'a/kept.yaml': map('kept'),
    'a/changed.yaml': map('changed', '3'),
    'a/space.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata: {name: made}\n',
    'a/inside.yaml': map('inside', 'x', 'made'),
    'a/definition.yaml': definition,
    'a/widget.yaml': widget('two'),
    'b/other.yaml': map('other', '3'),
    'b/moved.yaml': map('moved'),
  },
  {
    'a/kept.yaml': map('kept'),
    'a/changed.yaml': map('changed', '4'),
    'a/definition.yaml': definition,
    'a/widget.yaml': widget('three'),
    'b/moved.yaml': map('moved'),
    'b/last.yaml': map('last'),
  },
];

/** What the last commit has, as it is owned in the end. */
export const wanted: Readonly<Record<string, readonly string[]>> = {
  a: [
    'ConfigMap/changed',
    'ConfigMap/kept',
    'CustomResourceDefinition/widgets.example.com',
    'Widget/three',
  ],
  b: ['ConfigMap/last', 'ConfigMap/moved'],
};

export const wantedInventories: Readonly<Record<string, readonly string[]>> = {
  a: [
    '_widgets.example.com_apiextensions.k8s.io_CustomResourceDefinition',
    'default_changed__ConfigMap',
    'default_kept__ConfigMap',
    'default_three_example.com_Widget',
  ],
  b: ['default_last__ConfigMap', 'default_moved__ConfigMap'],
};
