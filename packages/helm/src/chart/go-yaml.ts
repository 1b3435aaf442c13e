import { readYaml } from '../formats/yaml-read.ts';
import { decodeInto, type GoShape } from './go-shape.ts';

/**
 * Reads a text into a struct, as `yaml.Unmarshal` of Kubernetes' library does.
 *
 * @throws Error with its words
 */
export function unmarshalYaml(text: string, shape: GoShape, target: object): void {
  const data = readYaml(text);
  try {
    decodeInto(target as Record<string, unknown>, data, shape);
  } catch (cause) {
    const { message } = cause as Error;
    throw new Error(`error unmarshaling JSON: while decoding JSON: ${message}`, { cause });
  }
}
