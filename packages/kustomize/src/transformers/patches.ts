import { goQuote } from '@waygate/text';
import type { Patch } from '../config/kustomization.ts';
import type { JsonPatchStep } from '../json-patch.ts';
import { KustomizeError, wrap } from '../kustomize-error.ts';
import type { Loader } from '../loader.ts';
import { readResources } from '../read-resources.ts';
import { type Resource, setField } from '../resource.ts';
import { idString } from '../resource-id.ts';
import type { ResourceList } from '../resource-list.ts';
import type { SchemaSet } from '../schema-facts.ts';
import { compileSelector, type Selector } from '../selector/selector.ts';
import {
  applyJson6902,
  applyStrategicMerge,
  jsonPatchText,
  readJsonPatch,
  readPatch,
} from './apply-patch.ts';
import { operationPlaces, placeNodes } from './patch-places.ts';
import type { Transformer } from './transformer.ts';

/** An entry of `patches`. `config` is the text that messages show. */
export function patchTransformer(
  patch: Patch,
  loader: Loader,
  schemas: SchemaSet,
  config: () => string,
): Transformer {
  const inline = (patch.patch ?? '').trim();
  const path = patch.path ?? '';
  if (inline === '' && path === '') {
    throw new KustomizeError(`must specify one of patch and path in\n${config()}`);
  }
  if (inline !== '' && path !== '') {
    throw new KustomizeError(`patch and path can't be set at the same time\n${config()}`);
  }
  const text = inline === '' ? loadPatch(loader, path) : inline;
  const source = inline === '' ? `[path: ${goQuote(path)}]` : `[patch: ${goQuote(inline)}]`;
  const parsed = readPatch(text, source, schemas, path === '' ? undefined : loader.show(path));
  if ('operations' in parsed) {
    const { operations } = parsed;
    const own = path === '' ? undefined : { file: loader.show(path), line: 0 };
    return {
      kind: 'PatchTransformer',
      transform: (resources) => transformJson(resources, patch.target, operations, source, true),
      locate(at) {
        const place = own ?? at;
        if (place !== undefined) this.places = operationPlaces(text, place.file, place.line);
      },
    };
  }
  const { merges } = parsed;
  for (const merge of merges) {
    merge.allowsNameChange = patch.options?.allowNameChange === true;
    merge.allowsKindChange = patch.options?.allowKindChange === true;
  }
  return {
    kind: 'PatchTransformer',
    transform: (resources) => transformMerges(resources, patch.target, merges, source),
    locate(at) {
      if (path !== '' || at === undefined) return;
      for (const merge of merges) placeNodes(merge.node, at.file, at.line);
    },
  };
}

function loadPatch(loader: Loader, path: string): string {
  try {
    return loader.loadText(path);
  } catch (error) {
    throw wrap(error, `failed to get the patch file from path(${path})`);
  }
}

function transformMerges(
  resources: ResourceList,
  target: Selector | undefined,
  merges: readonly Resource[],
  source: string,
): void {
  if (target === undefined) {
    for (const merge of merges) {
      try {
        mergeInto(resources, resources.patchTarget(merge.originalId), merge);
      } catch (error) {
        if (!(error as Error).message.includes('failed to find unique target')) throw error;
        throw wrap(
          error,
          `no resource matches strategic merge patch ${goQuote(idString(merge.originalId))}`,
        );
      }
    }
    return;
  }
  if (merges.length > 1) {
    throw new KustomizeError(
      `Multiple Strategic-Merge Patches in one \`patches\` entry is not allowed to set \`patches.target\` field: ${source}`,
    );
  }
  const merge = merges[0];
  if (merge === undefined) return;
  let isSelected: (resource: Resource) => boolean;
  try {
    isSelected = compileSelector(target);
  } catch (error) {
    throw wrap(
      error,
      `unable to find patch target ${goQuote(selectorString(target))} in \`resources\``,
    );
  }
  for (const resource of resources.toArray().filter(isSelected)) {
    mergeSelected(resources, resource, merge);
  }
  resources.refuseDuplicates();
}

function selectorString(target: Selector): string {
  const { annotationSelector = '', labelSelector = '' } = target;
  return `${idString(target)}:a=${annotationSelector}:l=${labelSelector}`;
}

/** Labels and annotations of such a patch are strings throughout: null does not delete. */
function mergeSelected(resources: ResourceList, resource: Resource, merge: Resource): void {
  const copy = merge.copy();
  copy.setLabels(copy.labels());
  copy.setAnnotations(copy.annotations());
  setField(copy.node, 'apiVersion', resource.apiVersion);
  mergeInto(resources, resource, copy);
}

function mergeInto(resources: ResourceList, resource: Resource, patch: Resource): void {
  const key = resource.key;
  applyStrategicMerge(resource, patch);
  const isSame = !resource.isEmpty && resource.key === key;
  if (!isSame || patch.allowsNameChange || patch.allowsKindChange) resources.reindex();
}

function transformJson(
  resources: ResourceList,
  target: Selector | undefined,
  operations: readonly JsonPatchStep[],
  source: string,
  storesId: boolean,
): void {
  if (target === undefined) {
    throw new KustomizeError(`must specify a target for JSON patch ${source}`);
  }
  const isSelected = compileSelector(target);
  const selected = resources.toArray().filter(isSelected);
  for (const resource of selected) {
    if (storesId) resource.storePreviousId();
    applyJson6902(resource, operations);
  }
  if (selected.length > 0) resources.reindex();
}

/** The list `patchesStrategicMerge`: files, or patches written out. */
export function strategicMergeTransformer(
  paths: readonly string[],
  inline: string,
  loader: Loader,
  schemas: SchemaSet,
): Transformer {
  if (paths.length === 0 && inline === '') {
    throw new KustomizeError('empty file path and empty patch content');
  }
  const merges = paths.flatMap((path) => readMerges(path, loader, schemas));
  if (inline !== '') merges.push(...readResources(inline, schemas));
  if (merges.length === 0) {
    throw new KustomizeError(
      `patch appears to be empty; files=[${paths.join(' ')}], Patch=${inline}`,
    );
  }
  return {
    kind: 'PatchStrategicMergeTransformer',
    transform(resources) {
      for (const merge of merges) {
        mergeSelected(resources, resources.patchTarget(merge.originalId), merge);
        resources.refuseDuplicates();
      }
    },
  };
}

function readMerges(path: string, loader: Loader, schemas: SchemaSet): Resource[] {
  // For a long time the list has taken patches themselves in place of files.
  try {
    return readResources(path, schemas);
  } catch {
    return readResources(loader.loadText(path), schemas, path);
  }
}

/** An entry of `patchesJson6902`. */
export function json6902Transformer(
  patch: { target?: Selector; path?: string; jsonOp?: string },
  loader: Loader,
): Transformer {
  const { path = '', jsonOp = '' } = patch;
  if (path === '' && jsonOp === '') throw new KustomizeError('empty file path and empty jsonOp');
  if (path !== '' && jsonOp !== '') {
    throw new KustomizeError(`must specify a file path or jsonOp, not both`);
  }
  if (patch.target?.name === undefined || patch.target.name === '') {
    throw new KustomizeError('must specify the target name');
  }
  const text = path === '' ? jsonOp : loader.loadText(path);
  if (path !== '' && text === '') {
    throw new KustomizeError(`patch file '${path}' empty seems to be empty`);
  }
  let operations: readonly JsonPatchStep[];
  try {
    operations = readJsonPatch(text);
  } catch (error) {
    throw wrap(error, `decoding ${jsonPatchText(text)}`);
  }
  if (operations.length === 0) {
    throw new KustomizeError(`patch appears to be empty; file=${path}, JsonOp=${text}`);
  }
  return {
    kind: 'PatchJson6902Transformer',
    transform: (resources) =>
      transformJson(resources, patch.target, operations, `[${path}]`, false),
    locate(at) {
      const place = path === '' ? at : { file: loader.show(path), line: 0 };
      if (place !== undefined) this.places = operationPlaces(text, place.file, place.line);
    },
  };
}
