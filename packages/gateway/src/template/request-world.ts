import type { LuaTable, LuaValue } from '../lua/lua-value.ts';
import type { RequestContext } from '../plugin/request-context.ts';
import { normalizePath } from '../router/request-path.ts';
import type { LuaWorld } from './template-expression.ts';

/** Where functions keep `kong.ctx.shared` with a request. */
export const sharedTableKey = 'kong.ctx.shared';

/** What templates see of a request, as it came from the client. */
export function requestWorld(context: RequestContext): LuaWorld {
  return {
    headers: table((name) => {
      const { headers } = context;
      const found = headers.getAll(name);
      return ofList(found.length > 0 ? found : headers.getAll(name.replaceAll('_', '-')));
    }),
    query_params: table((name) => {
      const key = Buffer.from(name, 'latin1').toString('utf8');
      const values = context.arguments.entries().filter(([other]) => other === key);
      return ofList(values.map(([, value]) => (value === undefined ? true : bytesOf(value))));
    }),
    uri_captures: {
      get: (key) => {
        const captures = context.match?.captures;
        if (typeof key === 'number') return captured(captures?.numbered[key - 1], context);
        const { named } = captures ?? {};
        return typeof key === 'string' && named !== undefined && Object.hasOwn(named, key)
          ? captured(named[key], context)
          : undefined;
      },
      get length() {
        return context.match?.captures?.numbered.length ?? 0;
      },
    },
    shared: table((name) => {
      const told = (context.shared.get(sharedTableKey) as LuaTable | undefined)?.get(name);
      if (told !== undefined) return told;
      const value = context.shared.get(name);
      if (typeof value === 'string') return bytesOf(value);
      return typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
    }),
  };
}

function table(get: (name: string) => LuaValue): LuaTable {
  return { get: (key) => (typeof key === 'string' ? get(key) : undefined), length: 0 };
}

/** What came once is a value, what came more than once a list. */
function ofList(values: readonly LuaValue[]): LuaValue {
  if (values.length < 2) return values[0];
  return {
    get: (key) => (typeof key === 'number' ? values[key - 1] : undefined),
    length: values.length,
  };
}

function captured(text: string | undefined, context: RequestContext): LuaValue {
  if (text === undefined) return undefined;
  const bytes = bytesOf(text);
  // Of a path that is no UTF-8 the characters are bytes already.
  return bytes === text || normalizePath(context.target).isUtf8 ? bytes : text;
}

function bytesOf(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}
