import { expect, test } from 'vitest';
import { buildSync } from '../build.ts';
import { memoryFileSystem } from '../file-system/memory.ts';

const object = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n';

function built(files: Record<string, string>): string {
  const result = buildSync(memoryFileSystem({ 'a.yaml': object, ...files }), '/');
  return result.problems.find(({ severity }) => severity === 'error')?.message ?? result.toYaml();
}

const configured = (kind: string, rest: string): Record<string, string> => ({
  'kustomization.yaml': `resources: [a.yaml]\n${kind.endsWith('Generator') ? 'generators' : 'transformers'}: [t.yaml]\n`,
  't.yaml': `apiVersion: builtin\nkind: ${kind}\nmetadata:\n  name: t\n${rest}`,
});

// The texts are those of kustomize 5.8.1.
test.each([
  [
    'PrefixTransformer',
    'prefix: [a]\n',
    'yaml: unmarshal errors:\n  line 6: cannot unmarshal !!seq into string',
  ],
  [
    'PrefixTransformer',
    'prefix: {a: b}\nfieldSpecs: x\n',
    'yaml: unmarshal errors:\n  line 2: cannot unmarshal !!str `x` into types.FsSlice\n  line 7: cannot unmarshal !!map into string',
  ],
  [
    'SuffixTransformer',
    'suffix: a\nfieldSpecs: {}\n',
    'yaml: unmarshal errors:\n  line 2: cannot unmarshal !!map into types.FsSlice',
  ],
  ['PrefixSuffixTransformer', 'prefix: a\n', 'fieldSpecs is not expected to be nil'],
  [
    'NamespaceTransformer',
    'unsetOnly: 5\n',
    'unmarshalling NamespaceTransformer config: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal number into Go struct field NamespaceTransformerPlugin.unsetOnly of type bool',
  ],
  [
    'ValueAddTransformer',
    'value: x\ntargets: x\n',
    'error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string into Go struct field ValueAddTransformerPlugin.targets of type []builtins.Target',
  ],
  ['ValueAddTransformer', 'targets:\n- notAField: x\n', 'fieldPath cannot be empty'],
  [
    'PatchJson6902Transformer',
    'target: {name: a}\njsonOp: "x"\n',
    'decoding "x": json: cannot unmarshal string into Go value of type jsonpatch.Patch',
  ],
  [
    'SecretGenerator',
    'type: 5\n',
    'error unmarshaling JSON: while decoding JSON: json: cannot unmarshal number into Go struct field SecretGeneratorPlugin.SecretArgs.type of type string',
  ],
  [
    'ConfigMapGenerator',
    'literals: x\n',
    'error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string into Go struct field ConfigMapGeneratorPlugin.ConfigMapArgs.GeneratorArgs.KvPairSources.literals of type []string',
  ],
])('%s with %j is refused', (kind, rest, problem) => {
  const before = kind.endsWith('Generator')
    ? 'loading generator plugins: failed to load generator: '
    : '';
  expect(built(configured(kind, rest))).toBe(
    `${before}plugin ${kind}.builtin.[noGrp]/t.[noNs] fails configuration: ${problem}`,
  );
});

test('a cloud that a generator does not know is told when it generates', () => {
  expect(built(configured('IAMPolicyGenerator', 'cloud: x\n'))).toBe(
    'cloud provider x not supported yet',
  );
});

const noted = (notes: string): Record<string, string> => ({
  'kustomization.yaml': 'resources: [a.yaml]\n',
  'a.yaml': `${object}  annotations:\n${notes}`,
});

test('notes of former names that do not fit together are refused', () => {
  expect(built(noted('    internal.config.kubernetes.io/previousNames: x\n'))).toContain(
    'number of previous names, number of previous namespaces, number of previous kinds not equal',
  );
});

test('a resource may ask for a hash at the end of its name', () => {
  const text = built(noted('    internal.config.kubernetes.io/needsHashSuffix: enabled\n'));
  expect(text).toContain('name: a-6ct58987ht');
  expect(text).not.toContain('internal.config');
});
