import { base64, registerEncoderFunctions } from './encoder-functions.ts';
import type { CelFunctionRegistry } from './function-registry.ts';
import { registerSetFunctions, sets } from './set-functions.ts';
import { registerStringFunctions, strings } from './string-functions.ts';

/** What Flux and Kubernetes both add to CEL: functions on texts and sets, and encoders. */
export function registerCommonFunctions(registry: CelFunctionRegistry): void {
  registerEncoderFunctions(registry);
  registerSetFunctions(registry);
  registerStringFunctions(registry);
}

/** What the names of their libraries stand for when an expression is evaluated. */
export const celLibraries = { base64, sets, strings };
