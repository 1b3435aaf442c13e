import { type CustomResourceDefinition, typesOfDefinitions } from '@waygate/schema';
import { parseYaml } from '@waygate/text';
import { operatorSource, operatorTest } from './operator-sources.ts';

/** What an operator is about. */
export interface OperatorNames {
  /** Such as `Widget`. */
  readonly kind: string;
  /** Such as `example.com`. */
  readonly group: string;
  /** The package, such as `widget-operator`. */
  readonly name: string;
  /** Of the libraries. */
  readonly version: string;
}

/** The files of a project of one operator, by path. */
export function operatorTemplate(names: OperatorNames): ReadonlyMap<string, string> {
  const crd = definition(names);
  const types = typesOfDefinitions([parseYaml(crd) as unknown as CustomResourceDefinition]);
  const lower = names.kind.toLowerCase();
  return new Map([
    ['README.md', readme(names)],
    ['package.json', `${JSON.stringify(manifest(names), null, 2)}\n`],
    ['tsconfig.json', `${JSON.stringify(compilerOptions, null, 2)}\n`],
    ['.gitignore', 'node_modules/\ndist/\n'],
    ['Containerfile', containerfile],
    ['crd.yaml', crd],
    ['example.yaml', example(names)],
    [`src/generated/${lower}.ts`, types],
    ['src/operator.ts', operatorSource(names)],
    ['src/operator.test.ts', operatorTest(names)],
    ['src/main.ts', main],
  ]);
}

/** As the API would make it of the kind in most cases. */
function pluralOf(kind: string): string {
  const lower = kind.toLowerCase();
  if (/[^aeiou]y$/.test(lower)) return `${lower.slice(0, -1)}ies`;
  return /(s|x|z|ch|sh)$/.test(lower) ? `${lower}es` : `${lower}s`;
}

/** Where the libraries lie, seen from the project. */
const tarballs = 'packages';
const libraries = ['text', 'schema', 'kube', 'runtime'];

function manifest({ name, version, kind }: OperatorNames) {
  const file = (room: string) => [
    `@waygate/${room}`,
    `file:${tarballs}/waygate-${room}-${version}.tgz`,
  ];
  return {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    engines: { node: '>=20.19' },
    scripts: {
      check: 'tsc --noEmit',
      test: 'vitest run',
      build: 'tsc',
      start: 'node dist/main.js',
      types: `waygate types crd.yaml > src/generated/${kind.toLowerCase()}.ts`,
    },
    dependencies: { ...Object.fromEntries(libraries.map(file)), 'prom-client': '^15.1.3' },
    devDependencies: {
      ...Object.fromEntries(['apiserver'].map(file)),
      '@types/node': '^20.19.0',
      typescript: '~6.0.3',
      vitest: '^4.1.12',
    },
  };
}

const compilerOptions = {
  compilerOptions: {
    target: 'es2023',
    module: 'nodenext',
    rootDir: 'src',
    outDir: 'dist',
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: true,
    rewriteRelativeImportExtensions: true,
    skipLibCheck: true,
    types: ['node'],
  },
  include: ['src'],
};

function definition({ kind, group }: OperatorNames): string {
  const plural = pluralOf(kind);
  return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: ${plural}.${group}
spec:
  group: ${group}
  scope: Namespaced
  names: { kind: ${kind}, listKind: ${kind}List, plural: ${plural}, singular: ${kind.toLowerCase()} }
  versions:
    - name: v1
      served: true
      storage: true
      subresources:
        status: {}
      additionalPrinterColumns:
        - { name: Ready, type: string, jsonPath: '.status.conditions[?(@.type=="Ready")].status' }
      schema:
        openAPIV3Schema:
          type: object
          required: [spec]
          properties:
            spec:
              type: object
              required: [text]
              properties:
                text:
                  description: What the ConfigMap says.
                  type: string
                  minLength: 1
            status:
              type: object
              properties:
                observedGeneration:
                  description: The generation of the spec that this status is about.
                  type: integer
                conditions:
                  type: array
                  x-kubernetes-list-type: map
                  x-kubernetes-list-map-keys: [type]
                  items:
                    type: object
                    required: [type, status, reason, message, lastTransitionTime]
                    properties:
                      type: { type: string }
                      status: { type: string, enum: ["True", "False", Unknown] }
                      reason: { type: string }
                      message: { type: string }
                      observedGeneration: { type: integer }
                      lastTransitionTime: { type: string, format: date-time }
`;
}

const main = `import { KubeClient, loadConfig } from '@waygate/kube';
import { runOperator } from './operator.ts';

const stopping = new AbortController();
process.once('SIGTERM', () => stopping.abort());
process.once('SIGINT', () => stopping.abort());
const client = new KubeClient(await loadConfig());
try {
  await runOperator(client, stopping.signal);
} finally {
  await client.close();
}
`;

const containerfile = `FROM node:20-bookworm-slim AS build
WORKDIR /src
COPY . .
RUN npm install --no-audit --no-fund && npm run build && npm prune --omit=dev

FROM node:20-bookworm-slim
WORKDIR /operator
COPY --from=build /src/package.json ./
COPY --from=build /src/node_modules ./node_modules
COPY --from=build /src/dist ./dist
ENV NODE_ENV=production
USER 1000:1000
ENTRYPOINT ["node", "dist/main.js"]
`;

function example({ kind, group }: OperatorNames): string {
  return `apiVersion: ${group}/v1
kind: ${kind}
metadata:
  name: first
  namespace: default
spec:
  text: hello
`;
}

function readme({ name, kind, version }: OperatorNames): string {
  const lower = kind.toLowerCase();
  const workspaces = [...libraries, 'apiserver'].map((room) => ` -w packages/${room}`).join('');
  return `# ${name}

Keeps a ConfigMap for each ${kind}, with the text of its spec; says so in its status with a \`Ready\` condition, in an Event
and in a metric; and takes a line out of a list in another namespace before a ${kind} goes, by a finalizer. Change
\`src/operator.ts\` to what yours does, and \`crd.yaml\` to what it is told.

The libraries come from \`${tarballs}/\`, as they are in no registry yet. In a clone of Waygate:

    npm run build && npm pack --pack-destination PROJECT/${tarballs}${workspaces}

That makes \`waygate-kube-${version}.tgz\` and the others. Then, here:

    npm install
    npm test             # on the embedded API, with no cluster
    npm run check        # types
    npm run types        # src/generated/${lower}.ts, after a change of crd.yaml

On a cluster, or on what \`waygate up\` runs, with KUBECONFIG as it says:

    kubectl apply -f crd.yaml
    npm run build && npm start
    kubectl apply -f example.yaml
    kubectl get ${lower},configmap first -o yaml
    curl 127.0.0.1:8080/metrics

As an image: \`buildah build --tag ${name} .\`
`;
}
