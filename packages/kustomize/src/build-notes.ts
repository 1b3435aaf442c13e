import { isPresent, newMap, newString, type YamlNode } from '@waygate/text';
import {
  originAnnotation,
  originText,
  transformationsAnnotation,
  transformationsText,
} from './origin.ts';
import type { Resource } from './resource.ts';

const internal = 'internal.config.kubernetes.io/';

/** One thing that the build knows of a resource, and the annotation by which the original does. */
interface Note {
  readonly annotation: string;
  readonly text: string;
  /** Called when the annotation is gone. */
  readonly forget: () => void;
}

/**
 * Runs a change of a resource with all that the build knows of it written out in annotations, where
 * the original keeps it: a change that takes them away makes the build forget, as it does there.
 */
export function withNotes(resource: Resource, isInternalKept: boolean, change: () => void): void {
  const notes = notesOf(resource);
  if (notes.length === 0) {
    change();
    return;
  }
  const metadata = resource.metadata();
  let annotations = metadata.get('annotations');
  if (!isPresent(annotations)) {
    annotations = newMap();
    metadata.set('annotations', annotations);
  }
  if (annotations.kind === 'map') {
    for (const { annotation, text } of notes) annotations.set(annotation, newString(text));
  }
  change();
  const after = resource.node.get('metadata')?.get('annotations');
  for (const { annotation, forget } of notes) {
    const isThere = after?.remove(annotation) !== undefined;
    if (isThere || (isInternalKept && annotation.startsWith(internal))) continue;
    forget();
  }
}

function notesOf(resource: Resource): Note[] {
  const notes: Note[] = [];
  const put = (name: string, text: string, forget: () => void): void => {
    const annotation = name.includes('/') ? name : internal + name;
    if (text !== '') notes.push({ annotation, text, forget });
  };
  const { previousNames } = resource;
  const forgetNames = (): void => {
    resource.previousNames = [];
  };
  put('previousNames', previousNames.map(({ name }) => name).join(','), forgetNames);
  put('previousNamespaces', previousNames.map((each) => each.namespace).join(','), forgetNames);
  put('previousKinds', previousNames.map(({ kind }) => kind).join(','), forgetNames);
  put('prefixes', resource.prefixes.join(','), () => {
    resource.prefixes = [];
  });
  put('suffixes', resource.suffixes.join(','), () => {
    resource.suffixes = [];
  });
  put('needsHashSuffix', resource.needsHash ? 'enabled' : '', () => {
    resource.needsHash = false;
  });
  put('generatorBehavior', resource.behavior === 'unspecified' ? '' : resource.behavior, () => {
    resource.behavior = 'unspecified';
  });
  put(originAnnotation, resource.origin === undefined ? '' : originText(resource.origin), () => {
    resource.origin = undefined;
  });
  put(transformationsAnnotation, transformationsText(resource.transformations), () => {
    resource.transformations = [];
  });
  return notes;
}

/** Whether a merge may take away annotations that it does not name. */
export function mayTakeNotes(patch: YamlNode): boolean {
  const metadata = patch.get('metadata');
  if (patch.get('$patch') !== undefined || metadata?.get('$patch') !== undefined) return true;
  const annotations = metadata?.get('annotations');
  if (annotations === undefined) return false;
  return annotations.kind !== 'map' || annotations.get('$patch') !== undefined;
}
