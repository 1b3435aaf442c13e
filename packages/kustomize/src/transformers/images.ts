import {
  compileRegex,
  isMissingOrNull,
  noContent,
  type RegexMatcher,
  type YamlNode,
} from '@waygate/text';
import { type FieldSpec, visitFields } from '../config/field-spec.ts';
import type { Image } from '../config/kustomization.ts';
import { demandKind, setScalarText } from '../field-setter.ts';
import type { Resource } from '../resource.ts';
import type { Transformer } from './transformer.ts';

/** Changes the name, tag or digest of images, wherever containers are. */
export function imageTransformers(
  images: readonly Image[],
  specs: readonly FieldSpec[],
): Transformer[] {
  // Changing an image moves nothing: whoever comes after the first finds all where it was.
  const places = new Map<Resource, readonly YamlNode[]>();
  return images.map((image) => imageTransformer(image, specs, places));
}

function imageTransformer(
  image: Image,
  specs: readonly FieldSpec[],
  places: Map<Resource, readonly YamlNode[]>,
): Transformer {
  let matcher: RegexMatcher | undefined;
  const update = (node: YamlNode): void => {
    if (isMissingOrNull(node)) return;
    demandKind(node, 'scalar');
    matcher ??= imageMatcher(image.name ?? '');
    if (matcher(node.value)) setScalarText(node, changeImage(node.value, image));
  };
  return {
    kind: 'ImageTagTransformer',
    transform(resources) {
      for (const resource of resources) {
        if (resource.kind === 'CustomResourceDefinition') continue;
        let nodes = places.get(resource);
        if (nodes === undefined) {
          nodes = containerImages(resource.node);
          places.set(resource, nodes);
        }
        nodes.forEach(update);
        visitFields(resource, specs, { visit: update });
      }
    },
  };
}

/** What may follow the name; tags of templating tools hold braces. */
const version = '(:[a-zA-Z0-9_.{}-]*)?(@sha256:[a-zA-Z0-9_.{}-]*)?$';
const versionOnly = new RegExp(`^${version}`);

/** The name is an expression, as it always was; most are mere text. */
function imageMatcher(name: string): RegexMatcher {
  if (/^[\w/-]*$/.test(name)) {
    return (text) => text.startsWith(name) && versionOnly.test(text.slice(name.length));
  }
  return compileRegex(`^${name}${version}`);
}

/** The images of `containers` and `initContainers` at any depth, the innermost first. */
function containerImages(root: YamlNode): readonly YamlNode[] {
  const found: YamlNode[] = [];
  collectImages(root, found);
  return found.length === 0 ? noContent : found;
}

function collectImages(node: YamlNode, into: YamlNode[]): void {
  const { content } = node;
  if (node.kind === 'sequence') {
    for (let index = 0; index < content.length; index += 1) collectImages(content[index]!, into);
    return;
  }
  if (node.kind !== 'map') return;
  for (let index = 0; index < content.length; index += 2) {
    const value = content[index + 1]!;
    if (value.kind === 'scalar') continue;
    collectImages(value, into);
    const name = content[index]!.value;
    if ((name !== 'containers' && name !== 'initContainers') || value.kind !== 'sequence') continue;
    for (const container of value.content) {
      const image = container.get('image');
      if (image !== undefined) into.push(image);
    }
  }
}

function changeImage(text: string, image: Image): string {
  let { name, tag, digest } = splitImage(text);
  if (image.newName !== undefined && image.newName !== '') name = image.newName;
  const hasTag = image.newTag !== undefined && image.newTag !== '';
  const hasDigest = image.digest !== undefined && image.digest !== '';
  if (hasTag || hasDigest) {
    tag = hasTag ? image.newTag! : '';
    digest = hasDigest ? image.digest! : '';
  } else if (image.tagSuffix !== undefined && image.tagSuffix !== '') {
    tag += image.tagSuffix;
    digest = '';
  }
  return name + (tag === '' ? '' : `:${tag}`) + (digest === '' ? '' : `@${digest}`);
}

/** A colon before the first slash belongs to the port of the registry. */
function splitImage(text: string): { name: string; tag: string; digest: string } {
  const slash = text.indexOf('/');
  const from = Math.max(slash, 0);
  const at = text.indexOf('@', from);
  const colon = text.indexOf(':', from);
  if (at >= 0 && (colon < 0 || at < colon)) {
    return { name: text.slice(0, at), tag: '', digest: text.slice(at + 1) };
  }
  if (colon < 0) return { name: text, tag: '', digest: '' };
  if (at >= 0) {
    return {
      name: text.slice(0, colon),
      tag: text.slice(colon + 1, at),
      digest: text.slice(at + 1),
    };
  }
  return { name: text.slice(0, colon), tag: text.slice(colon + 1), digest: '' };
}
