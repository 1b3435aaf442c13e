import { compileRegex, type RegexMatcher } from '@waygate/schema';
import { type FieldSpec, visitFields } from '../config/field-spec.ts';
import type { Image } from '../config/kustomization.ts';
import { demandKind, setScalarText } from '../field-setter.ts';
import { isMissingOrNull, type YamlNode } from '../yaml/node.ts';
import type { Transformer } from './transformer.ts';

/** Changes the name, tag or digest of images, wherever containers are. */
export function imageTransformer(image: Image, specs: readonly FieldSpec[]): Transformer {
  let matcher: RegexMatcher | undefined;
  const matches: RegexMatcher = (text) => {
    matcher ??= imageMatcher(image.name ?? '');
    return matcher(text);
  };
  const update = (node: YamlNode): void => {
    if (isMissingOrNull(node)) return;
    demandKind(node, 'scalar');
    if (matches(node.value)) setScalarText(node, changeImage(node.value, image));
  };
  return {
    kind: 'ImageTagTransformer',
    transform(resources) {
      for (const resource of resources) {
        if (resource.kind === 'CustomResourceDefinition') continue;
        updateContainers(resource.node, update);
        visitFields(resource, specs, { visit: update });
      }
    },
  };
}

/** The name is an expression, as it always was; tags of templating tools hold braces. */
function imageMatcher(name: string): RegexMatcher {
  return compileRegex(`^${name}(:[a-zA-Z0-9_.{}-]*)?(@sha256:[a-zA-Z0-9_.{}-]*)?$`);
}

/** Finds `containers` and `initContainers` at any depth. */
function updateContainers(node: YamlNode, update: (node: YamlNode) => void): void {
  if (node.kind === 'sequence') {
    for (const item of node.content) updateContainers(item, update);
    return;
  }
  if (node.kind !== 'map') return;
  for (let index = 0; index < node.content.length; index += 2) {
    const value = node.content[index + 1]!;
    if (value.kind === 'scalar') continue;
    updateContainers(value, update);
    const name = node.content[index]!.value;
    if ((name !== 'containers' && name !== 'initContainers') || value.kind !== 'sequence') continue;
    for (const container of value.content) {
      const image = container.get('image');
      if (image !== undefined) update(image);
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
export function splitImage(text: string): { name: string; tag: string; digest: string } {
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
