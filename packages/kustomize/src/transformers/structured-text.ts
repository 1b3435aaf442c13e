import { parseCommentedYaml, printCommentedYaml, YamlError, type YamlNode } from '@waygate/text';
import { type CreateKind, lookUp, matchPath } from '../field-path.ts';
import { KustomizeError } from '../kustomize-error.ts';
import { deAnchor } from '../yaml/de-anchor.ts';
import { indentedJsonText, jsonText } from '../yaml/json-text.ts';
import { JsonError, toJson } from '../yaml/json-value.ts';

/**
 * Sets a value in the JSON or YAML that a field holds as text, where a path leads into one:
 * `data.config\\.json.server.host`. False when it does not; nothing has changed then.
 */
export function setInStructuredText(
  root: YamlNode,
  path: readonly string[],
  value: YamlNode,
  create: CreateKind,
): boolean {
  const found = findText(root, path);
  if (found === undefined) return false;
  try {
    const text = changedText(found.field.value, found.rest, value, create);
    if (text === undefined) return false;
    found.field.value = text;
    return true;
  } catch (error) {
    if (isRefusal(error)) return false;
    throw error;
  }
}

/** The first scalar on the way, and what of the path is left there. */
function findText(
  root: YamlNode,
  path: readonly string[],
): { field: YamlNode; rest: readonly string[] } | undefined {
  for (let length = 1; length < path.length; length += 1) {
    let field: YamlNode | undefined;
    try {
      field = lookUp(root, path.slice(0, length));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return undefined;
    }
    if (field === undefined) return undefined;
    if (field.kind === 'scalar') return { field, rest: path.slice(length) };
  }
  return undefined;
}

function changedText(
  text: string,
  path: readonly string[],
  value: YamlNode,
  create: CreateKind,
): string | undefined {
  const parsed = parseCommentedYaml(text);
  if (parsed === undefined || parsed.root.kind === 'scalar') return undefined;
  const { root, comments } = parsed;
  const fields = matchPath(root, path, create);
  if (fields.length === 0) return undefined;
  for (const field of fields) {
    if (field.kind === 'scalar') field.value = value.value;
    else field.become(value.copy());
  }
  if (!/^\s*[{[]/.test(text)) return printCommentedYaml(root, comments).trim();
  // Aliases are bounded when they are unfolded; a bomb of them leaves the text alone.
  const json = toJson(deAnchor(root));
  return text.includes('\n') && text.includes('  ') ? indentedJsonText(json) : jsonText(json);
}

/** Whether an error says no more than that the path or the text is not what it takes. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof KustomizeError || error instanceof YamlError || error instanceof JsonError
  );
}
