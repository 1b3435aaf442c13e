import type { GoFunction } from '../go/function.ts';
import { builtins } from '../template/builtins.ts';
import { certificateFunctions } from './certificates.ts';
import { cipherFunctions } from './ciphers.ts';
import { dataFormatFunctions } from './data-formats.ts';
import { dateFunctions } from './dates.ts';
import { defaultFunctions } from './defaults.ts';
import { dictFunctions } from './dicts.ts';
import { durationFunctions } from './durations.ts';
import { withEfforts } from './effort.ts';
import { encodingFunctions } from './encodings.ts';
import type { FunctionOptions } from './function-options.ts';
import { helmOwnFunctions } from './helm.ts';
import { letterCaseFunctions } from './letter-case.ts';
import { listFunctions } from './lists.ts';
import { numberFunctions } from './numbers.ts';
import { pathFunctions } from './paths.ts';
import { randomFunctions } from './random.ts';
import { reflectionFunctions } from './reflection.ts';
import { regexFunctions } from './regex.ts';
import { stringFunctions } from './strings.ts';
import { urlFunctions } from './urls.ts';
import { versionFunctions } from './versions.ts';
import { wordCaseFunctions } from './word-case.ts';

const fixed: readonly (readonly [string, GoFunction])[] = Object.entries(
  withEfforts({
    ...builtins,
    ...stringFunctions,
    ...letterCaseFunctions,
    ...wordCaseFunctions,
    ...encodingFunctions,
    ...numberFunctions,
    ...listFunctions,
    ...dictFunctions,
    ...defaultFunctions,
    ...reflectionFunctions,
    ...pathFunctions,
    ...urlFunctions,
    ...regexFunctions,
    ...versionFunctions,
  }),
);
const fixedOf = {
  3: new Map([...fixed, ...Object.entries(withEfforts(dataFormatFunctions(3)))]),
  4: new Map([
    ...fixed,
    ...Object.entries(durationFunctions),
    ...Object.entries(withEfforts(dataFormatFunctions(4))),
  ]),
};

/** All functions that Helm's templates know: Go's own, Sprig's and Helm's. */
export function helmFunctions(options: FunctionOptions): ReadonlyMap<string, GoFunction> {
  const all = new Map(fixedOf[options.helm]);
  for (const table of [
    withEfforts(dateFunctions(options)),
    withEfforts(randomFunctions(options)),
    cipherFunctions(options),
    certificateFunctions(options),
    helmOwnFunctions(options),
  ]) {
    for (const name of Object.keys(table)) all.set(name, table[name]!);
  }
  return all;
}
