import { describe, expect, it } from 'vitest';
import { build, buildSync } from './build.ts';
import { memoryFileSystem } from './file-system/memory.ts';

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      containers:
      - name: web
        image: nginx:1
        envFrom: [{configMapRef: {name: settings}}]
`;

describe('build', () => {
  it('runs a base and an overlay', async () => {
    const files = memoryFileSystem({
      'base/kustomization.yaml':
        'resources: [web.yaml]\nconfigMapGenerator: [{name: settings, literals: [a=b]}]\n',
      'base/web.yaml': deployment,
      'overlay/kustomization.yaml':
        'resources: [../base]\nnamePrefix: p-\nnamespace: shop\nimages: [{name: nginx, newTag: "2"}]\n',
    });
    const result = await build(files, '/overlay');
    expect(result.problems).toEqual([]);
    expect(result.toYaml()).toBe(`apiVersion: v1
data:
  a: b
kind: ConfigMap
metadata:
  name: p-settings-4h2mbtbbt6
  namespace: shop
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: p-web
  namespace: shop
spec:
  template:
    spec:
      containers:
      - envFrom:
        - configMapRef:
            name: p-settings-4h2mbtbbt6
        image: nginx:2
        name: web
`);
  });

  it('gives objects, origins and the text of each resource', () => {
    const result = buildSync(
      memoryFileSystem({ 'kustomization.yaml': 'resources: [web.yaml]', 'web.yaml': deployment }),
      '/',
    );
    const [web] = result.resources;
    expect(web?.object.metadata.name).toBe('web');
    expect(web?.origin).toMatchObject({ file: '/web.yaml', line: 1 });
    expect(web?.yaml).toBe(result.toYaml());
  });

  it('says what is wrong as a problem with file and line', () => {
    const result = buildSync(
      memoryFileSystem({
        'kustomization.yaml': 'resources: [bad.yaml]',
        'bad.yaml': 'a: 1\nb: [1\nc: 2\n',
      }),
      '/',
    );
    expect(result.isOk).toBe(false);
    expect(result.resources).toEqual([]);
    expect(result.problems[0]).toMatchObject({
      severity: 'error',
      code: 'WG_KUSTOMIZE_MALFORMED_YAML',
      file: '/bad.yaml',
    });
  });
});
