import { parseLegacyYamlNode } from '@waygate/text';
import { decode, list } from '../config/decode.ts';
import type { Replacement, ReplacementField } from '../config/kustomization.ts';
import { replacementShape } from '../config/shapes.ts';
import { KustomizeError } from '../kustomize-error.ts';
import type { Loader } from '../loader.ts';
import { toLegacyJson } from '../yaml/json-value.ts';

/** Brings together replacements written out and those of files, which hold one or a list. */
export function loadReplacements(
  given: readonly ReplacementField[],
  loader: Loader,
): readonly Replacement[] {
  return given.flatMap((field) => {
    if (field.path === undefined || field.path === '') return [field];
    if (field.source !== undefined || (field.targets ?? []).length > 0) {
      throw new KustomizeError('cannot specify both path and inline replacement');
    }
    return readFile(field.path, loader);
  });
}

function readFile(path: string, loader: Loader): readonly Replacement[] {
  const node = parseLegacyYamlNode(loader.loadText(path), loader.show(path));
  const json = node === undefined ? null : toLegacyJson(node);
  if (Array.isArray(json)) {
    return decode<Replacement[]>(json, list(replacementShape), { isStrict: false });
  }
  if (json instanceof Map) {
    return [decode<Replacement>(json, replacementShape, { isStrict: false })];
  }
  const kind = json === null ? 'invalid' : typeof json;
  throw new KustomizeError(
    `unsupported replacement type encountered within replacement path: ${kind}`,
  );
}
