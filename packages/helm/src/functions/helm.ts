import { any, type FunctionTable, fn, str } from '../go/define.ts';
import type { GoFunction } from '../go/function.ts';
import { anyType, stringType } from '../go/type.ts';
import { GoMap, type GoValue } from '../go/value.ts';
import type { FunctionOptions } from './function-options.ts';
import { warning } from './warning.ts';

// These two nest: nothing stands between the executor and what they call.
const include: GoFunction = {
  params: [stringType, anyType],
  isVariadic: false,
  call: ([name, data]: readonly GoValue[], context) => context.include(name as string, data!),
};
const tpl: GoFunction = {
  params: [stringType, anyType],
  isVariadic: false,
  call: ([text, data]: readonly GoValue[], context) => context.evaluate(text as string, data!),
};

/** `include`, `tpl`, `required`, `fail`, `lookup`, `getHostByName`. */
export function helmOwnFunctions(options: FunctionOptions): FunctionTable {
  const { lint, lookup } = options;
  return {
    include,
    tpl,
    required: fn([str, any], (_, message, value) => {
      if (value !== null && value !== '') return value;
      if (!lint) throw warning(message);
      options.onWarning?.(message, 'required');
      return '';
    }),
    fail: fn([str], (_, message) => {
      if (!lint) throw warning(message);
      options.onWarning?.(message, 'fail');
      return '';
    }),
    lookup: fn([str, str, str, str], (_, apiVersion, kind, namespace, name) =>
      lint || lookup === undefined ? new GoMap() : lookup(apiVersion, kind, namespace, name),
    ),
    getHostByName: fn([str], (_, name) => options.resolveHost?.(name) ?? ''),
  };
}
