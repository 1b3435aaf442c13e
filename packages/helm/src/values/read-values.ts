import { JsonSyntaxError, readJson } from '../formats/json-read.ts';
import { readYaml, readYamlObject, YamlReadError } from '../formats/yaml-read.ts';
import type { GoMap, GoValue } from '../go/value.ts';
import { HelmError } from '../helm-error.ts';

/**
 * Reads YAML as Helm reads a values file: YAML 1.1, every number a float64, the first document only.
 *
 * @throws HelmError `WG_HELM_VALUES` with the text that Helm shows
 * @example
 * goValueFromYaml('port: 80'); // GoMap { port: 80 }
 */
export function goValueFromYaml(text: string): GoValue {
  return asValuesError(() => readYaml(text));
}

/**
 * Reads a values file: a map, or nothing, which is an empty map.
 *
 * ```ts
 * readValues('name: web').get('name'); // 'web'
 * ```
 *
 * @throws HelmError `WG_HELM_VALUES`
 */
export function readValues(text: string): GoMap {
  return asValuesError(() => readYamlObject(text));
}

/**
 * Reads JSON as Go's `json.Unmarshal` into an `interface{}` does: every number a float64.
 *
 * ```ts
 * goValueFromJson('{"replicas": 3}');
 * ```
 *
 * @throws HelmError `WG_HELM_VALUES`
 */
export function goValueFromJson(text: string): GoValue {
  return asValuesError(() => {
    const { value, problem } = readJson(text);
    if (problem !== undefined) throw new JsonSyntaxError(problem);
    return value;
  });
}

function asValuesError<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof YamlReadError || error instanceof JsonSyntaxError) {
      throw new HelmError('WG_HELM_VALUES', error.message, { cause: error });
    }
    throw error;
  }
}
