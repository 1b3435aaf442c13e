import type { FunctionTable } from '../go/define.ts';
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
export class HelmFunctions {
  readonly #options: FunctionOptions;
  readonly #fixed: ReadonlyMap<string, GoFunction>;
  readonly #own: FunctionTable;
  /** Those that most charts do without, made when the first of them is asked for. */
  #rare: ReadonlyMap<string, GoFunction> | undefined;

  constructor(options: FunctionOptions) {
    this.#options = options;
    this.#fixed = fixedOf[options.helm];
    this.#own = helmOwnFunctions(options);
  }

  get(name: string): GoFunction | undefined {
    const fixed = this.#fixed.get(name);
    if (fixed !== undefined) return fixed;
    if (Object.hasOwn(this.#own, name)) return this.#own[name];
    this.#rare ??= rareFunctions(this.#options);
    return this.#rare.get(name);
  }

  names(): Set<string> {
    this.#rare ??= rareFunctions(this.#options);
    return new Set([...this.#fixed.keys(), ...Object.keys(this.#own), ...this.#rare.keys()]);
  }
}

function rareFunctions(options: FunctionOptions): Map<string, GoFunction> {
  return new Map(
    [
      withEfforts(dateFunctions(options)),
      withEfforts(randomFunctions(options)),
      cipherFunctions(options),
      certificateFunctions(options),
    ].flatMap((table) => Object.entries(table)),
  );
}
