import { isObject } from '@waygate/text';
import type { HeaderList } from '../http/header-list.ts';
import { definePlugin } from '../plugin/plugin.ts';
import type { RequestContext } from '../plugin/request-context.ts';
import { changeFields, splitPair, typedValue } from './body-fields.ts';

interface Parts {
  readonly headers: readonly string[];
  readonly json: readonly string[];
  readonly json_types?: readonly string[];
}

interface Config {
  readonly remove: Parts;
  readonly rename: Parts;
  readonly replace: Parts;
  readonly add: Parts;
  readonly append: Parts;
}

const verbs = ['remove', 'rename', 'replace', 'add', 'append'] as const;

/** Changes answers on their way to the client. */
export const responseTransformer = definePlugin<Config>({
  name: 'response-transformer',
  priority: 800,
  headerFilter(context, config) {
    const headers = context.response?.headers;
    if (headers === undefined) return;
    changeHeaders(headers, config);
    if (isBodyChanged(context, config)) headers.remove('content-length');
  },
  needsBody: isBodyChanged,
  bodyFilter(_context, config, body) {
    try {
      const value: unknown = JSON.parse(body.toString('utf8'));
      if (!isObject(value)) return body;
      const changed = changeFields(value as Record<string, unknown>, {
        remove: config.remove.json,
        rename: (config.rename.json ?? []).map(splitPair),
        replace: typedPairs(config.replace),
        add: typedPairs(config.add),
        append: typedPairs(config.append),
      });
      return Buffer.from(JSON.stringify(changed));
    } catch {
      return body;
    }
  },
});

function changeHeaders(headers: HeaderList, config: Config): void {
  for (const entry of config.remove.headers) removeHeader(headers, entry);
  for (const [from, to] of config.rename.headers.map(splitPair)) {
    const value = headers.get(from);
    if (value !== undefined) {
      headers.remove(from);
      headers.set(to, value);
    }
  }
  for (const [name, value] of config.replace.headers.map(splitPair)) {
    if (headers.has(name)) headers.set(name, value);
  }
  for (const [name, value] of config.add.headers.map(splitPair)) {
    if (!headers.has(name)) headers.set(name, value);
  }
  for (const [name, value] of config.append.headers.map(splitPair)) headers.add(name, value);
}

/** `name` takes a header away, `name:value` only one with that value. */
function removeHeader(headers: HeaderList, entry: string): void {
  const [name, value] = splitPair(entry);
  if (value === '') {
    headers.remove(name);
    return;
  }
  const kept = headers.getAll(name).filter((own) => own !== value);
  headers.remove(name);
  for (const own of kept) headers.add(name, own);
}

function isBodyChanged(context: RequestContext, config: Config): boolean {
  const type = context.response?.headers.get('content-type') ?? '';
  const hasChanges = verbs.some((verb) => (config[verb].json ?? []).length > 0);
  return hasChanges && /application\/(?:[\w.+-]+\+)?json/.test(type);
}

function typedPairs(parts: Parts): readonly (readonly [string, unknown])[] {
  return parts.json.map((entry, index) => {
    const [name, value] = splitPair(entry);
    return [name, typedValue(value, parts.json_types?.[index])] as const;
  });
}
