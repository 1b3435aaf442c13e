import { withCommonMetadata } from '@waygate/apply';
import { type FilePostRenderer, filesOfObjects, HelmError, objectsOfFiles } from '@waygate/helm';
import { build, memoryFileSystem } from '@waygate/kustomize';
import type { DynamicObject } from '@waygate/schema';
import { printYaml, printYamlDocuments } from '@waygate/text';
import { type HelmRelease, helmReleaseGroup } from '../api/helm-objects.ts';

/**
 * Changes what a chart rendered by the spec's kustomize patches and images, its common metadata, and labels
 * that say whose the objects are. Each object goes back to the file that it came from.
 */
export function postRendererOf(object: HelmRelease): FilePostRenderer {
  const { spec, metadata } = object;
  const owner = {
    [`${helmReleaseGroup}/name`]: metadata.name!,
    [`${helmReleaseGroup}/namespace`]: metadata.namespace ?? '',
  };
  return async (files) => {
    const skipsHooks = spec.postRenderStrategy === 'nohooks';
    const kept: DynamicObject[] = [];
    let objects = objectsOfFiles(files);
    if (skipsHooks) {
      kept.push(...objects.filter(isHook));
      objects = objects.filter((each) => !isHook(each));
    }
    for (const { kustomize } of spec.postRenderers ?? []) {
      if (kustomize === undefined) continue;
      if (spec.postRenderStrategy === 'separate') {
        const hooks = await kustomized(objects.filter(isHook), kustomize);
        objects = [
          ...hooks,
          ...(await kustomized(
            objects.filter((one) => !isHook(one)),
            kustomize,
          )),
        ];
      } else objects = await kustomized(objects, kustomize);
    }
    const labelled = objects.map((each) => {
      const common = spec.commonMetadata ?? {};
      return withCommonMetadata(each, { ...common, labels: { ...common.labels, ...owner } });
    });
    return filesOfObjects([...kept, ...labelled], printYamlDocuments);
  };
}

function isHook({ metadata }: DynamicObject): boolean {
  return metadata.annotations?.['helm.sh/hook'] !== undefined;
}

async function kustomized(
  objects: readonly DynamicObject[],
  renderer: { readonly patches?: unknown[]; readonly images?: unknown[] },
): Promise<DynamicObject[]> {
  if (objects.length === 0) return [];
  const files = memoryFileSystem({
    '/helm-output.yaml': printYamlDocuments(objects),
    '/kustomization.yaml': printYaml({
      apiVersion: 'kustomize.config.k8s.io/v1beta1',
      kind: 'Kustomization',
      resources: ['helm-output.yaml'],
      ...(renderer.patches && { patches: renderer.patches }),
      ...(renderer.images && { images: renderer.images }),
    }),
  });
  const { problems, resources } = await build(files, '/', { reorder: 'none' });
  const broken = problems.find(({ severity }) => severity === 'error');
  if (broken !== undefined) {
    throw new HelmError(
      'WG_HELM_RELEASE',
      `error while running post render on files: ${broken.message}`,
    );
  }
  return resources.map(({ object }) => object);
}
