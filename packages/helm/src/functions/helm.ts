import { any, type FunctionTable, fn, str } from '../go/define.ts';
import { GoMap } from '../go/value.ts';
import type { FunctionOptions } from './function-options.ts';
import { warning } from './warning.ts';

/** `include`, `tpl`, `required`, `fail`, `lookup`, `getHostByName`. */
export function helmOwnFunctions(options: FunctionOptions): FunctionTable {
  const { lint, lookup } = options;
  return {
    include: fn([str, any], (context, name, data) => context.include(name, data)),
    tpl: fn([str, any], (context, text, data) => context.evaluate(text, data)),
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
