import { type FunctionTable, fn, map, str } from '../go/define.ts';
import { GoError } from '../go/function.ts';
import { GoMap, kindOf } from '../go/value.ts';
import { hostnameOf, parseGoUrl, printGoUrl } from './go-url.ts';

/** `urlParse` and `urlJoin`. */
export const urlFunctions: FunctionTable = {
  urlParse: fn([str], (_, text) => {
    const url = parsed(text, 'unable to parse url');
    return new GoMap([
      ['scheme', url.scheme],
      ['host', url.host],
      ['hostname', hostnameOf(url.host)],
      ['path', url.path],
      ['query', url.query],
      ['opaque', url.opaque],
      ['fragment', url.fragment],
      ['userinfo', url.userinfo ?? ''],
    ]);
  }),
  urlJoin: fn([map], (_, parts) => {
    const part = (key: string): string => {
      const value = parts?.get(key);
      if (value === undefined) return '';
      if (typeof value === 'string') return value;
      if (value === null) {
        throw new GoError('runtime error: invalid memory address or nil pointer dereference');
      }
      throw new GoError(
        `unable to parse ${key} key, must be of type string, but ${kindOf(value)} found`,
      );
    };
    const url = {
      scheme: part('scheme'),
      host: part('host'),
      path: part('path'),
      query: part('query'),
      opaque: part('opaque'),
      fragment: part('fragment'),
    };
    const given = part('userinfo');
    const userinfo =
      given === ''
        ? undefined
        : parsed(`proto://${given}@host`, 'unable to parse userinfo in dict').userinfo;
    return printGoUrl({ ...url, userinfo });
  }),
};

function parsed(text: string, problem: string) {
  try {
    return parseGoUrl(text);
  } catch (error) {
    if (error instanceof GoError) throw new GoError(`${problem}: ${error.message}`);
    throw error;
  }
}
