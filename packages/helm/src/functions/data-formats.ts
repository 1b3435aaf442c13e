import { JsonSyntaxError, readJson, readJsonArray, readJsonObject } from '../formats/json-read.ts';
import { type JsonWriteOptions, toJson } from '../formats/json-write.ts';
import { toPrettyYaml } from '../formats/pretty-yaml.ts';
import { readToml } from '../formats/toml-read.ts';
import { toToml } from '../formats/toml-write.ts';
import { readYamlArray, readYamlObject, YamlReadError } from '../formats/yaml-read.ts';
import { toYaml } from '../formats/yaml-write.ts';
import type { Budget } from '../go/budget.ts';
import { any, type FunctionTable, fn, str } from '../go/define.ts';
import { GoError, type GoFunction, GoPanic } from '../go/function.ts';
import { anySlice } from '../go/type.ts';
import { GoMap, GoSlice, type GoValue } from '../go/value.ts';

type Writer = (value: GoValue, budget: Budget) => string;

/** `onError` is what the function gives where the value cannot be written; without it the call fails. */
function writing(write: Writer, onError?: (error: GoError) => string): GoFunction {
  return fn([any], ({ budget }, value) => {
    try {
      return write(value, budget);
    } catch (error) {
      if (error instanceof GoError && !(error instanceof GoPanic) && onError !== undefined) {
        return onError(error);
      }
      throw error;
    }
  });
}

const nothing = (): string => '';
const json =
  (options?: JsonWriteOptions): Writer =>
  (value, budget) =>
    toJson(value, budget, options);

/** YAML, JSON and TOML, in and out. */
export function dataFormatFunctions(helm: 3 | 4): FunctionTable {
  return {
    toYaml: writing(toYaml, nothing),
    toYamlPretty: writing(toPrettyYaml, nothing),
    toJson: writing(json(), nothing),
    toPrettyJson: writing(json({ isPretty: true }), nothing),
    toRawJson: writing(json({ isRaw: true })),
    toToml: writing(toToml, (error) => error.message),
    mustToJson: writing(json()),
    mustToPrettyJson: writing(json({ isPretty: true })),
    mustToRawJson: writing(json({ isRaw: true })),
    ...(helm === 4 && { mustToYaml: writing(toYaml), mustToToml: writing(toToml) }),
    fromYaml: fn([str], ({ budget }, text) => withError(text, budget, readYamlObject)),
    fromYamlArray: fn([str], ({ budget }, text) => {
      budget.make(text.length);
      budget.step(text.length);
      return listOrError(() => readYamlArray(text));
    }),
    fromJson: fn([str], ({ budget }, text) => {
      budget.make(text.length);
      const { map, problem } = readJsonObject(text);
      return problem === undefined ? map : map.set('Error', problem);
    }),
    fromJsonArray: fn([str], ({ budget }, text) => {
      budget.make(text.length);
      const { items, problem } = readJsonArray(text);
      return problem === undefined ? (items ?? new GoSlice(anySlice, [], true)) : [problem];
    }),
    mustFromJson: fn([str], ({ budget }, text) => {
      budget.make(text.length);
      return mustFromJson(text);
    }),
    fromToml: fn([str], ({ budget }, text) => withError(text, budget, readToml)),
  };
}

/** What cannot be read is a map with the text of the error. */
function withError(text: string, budget: Budget, read: (text: string) => GoMap): GoMap {
  budget.make(text.length);
  budget.step(text.length);
  try {
    return read(text);
  } catch (error) {
    if (!(error instanceof YamlReadError || error instanceof GoError)) throw error;
    return new GoMap([['Error', error.message]]);
  }
}

function listOrError(read: () => readonly GoValue[]): readonly GoValue[] {
  try {
    return read();
  } catch (error) {
    if (error instanceof YamlReadError) return [error.message];
    throw error;
  }
}

function mustFromJson(text: string): GoValue {
  try {
    const { value, problem } = readJson(text);
    if (problem !== undefined) throw new GoError(problem);
    return value;
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw new GoError(error.message);
    throw error;
  }
}
