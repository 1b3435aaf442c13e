import { build, memoryFileSystem } from '@waygate/kustomize';
import type { Print } from './cluster.ts';

/** `kustomize build` of files that are on no disk: a pure function, with nothing to clean up. */
export async function kustomizeInMemory(print: Print): Promise<void> {
  const files = memoryFileSystem({
    'base/kustomization.yaml': 'resources: [web.yaml]\n',
    'base/web.yaml': `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      containers: [{name: web, image: web}]
`,
    'production/kustomization.yaml': `
resources: [../base]
namePrefix: prod-
images: [{name: web, newTag: "2.1"}]
replicas: [{name: web, count: 3}]
`,
  });
  const result = await build(files, '/production');
  // What is wrong with the files comes back as a list that names the place, never as an exception.
  if (!result.isOk) {
    for (const { file, line, message } of result.problems) print(`${file}:${line}: ${message}`);
    return;
  }
  for (const line of result.toYaml().trimEnd().split('\n')) print(line);
}
