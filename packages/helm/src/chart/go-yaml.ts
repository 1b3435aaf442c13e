import { oncePer } from '@waygate/text';
import { readYaml, type WantedFields } from '../formats/yaml-read.ts';
import { decodeInto, type GoShape } from './go-shape.ts';

/**
 * Reads a text into a struct, as `yaml.Unmarshal` of Kubernetes' library does.
 *
 * @throws Error with its words
 */
export function unmarshalYaml(text: string, shape: GoShape, target: object): void {
  const data = readYaml(text, wantedBy(shape));
  try {
    decodeInto(target as Record<string, unknown>, data, shape);
  } catch (cause) {
    const { message } = cause as Error;
    throw new Error(`error unmarshaling JSON: while decoding JSON: ${message}`, { cause });
  }
}

/** What a struct has no field for is dropped, and so is not even made. */
const wantedBy: (shape: GoShape) => WantedFields | true = oncePer((shape) =>
  shape.kind === 'struct'
    ? new Map(
        Object.entries(shape.fields).map(([name, inner]) => [name.toLowerCase(), wantedBy(inner)]),
      )
    : true,
);
