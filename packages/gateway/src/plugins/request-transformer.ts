import { QueryArguments } from '../http/query-arguments.ts';
import { definePlugin } from '../plugin/plugin.ts';
import { readBody } from '../proxy/request-body.ts';
import type { RequestContext } from '../proxy/request-context.ts';
import { changeFields, type FieldChanges, splitPair } from './body-fields.ts';
import { fillTemplate } from './template.ts';

interface Parts {
  readonly headers: readonly string[];
  readonly querystring: readonly string[];
  readonly body: readonly string[];
}

interface Config {
  readonly http_method: string | null;
  readonly remove: Parts;
  readonly rename: Parts;
  readonly replace: Parts & { readonly uri?: string | null };
  readonly add: Parts;
  readonly append: Parts;
}

const maximumBodyBytes = 8 * 1_024 * 1_024;

/** Changes requests on their way to the upstream. */
export const requestTransformer = definePlugin<Config>({
  name: 'request-transformer',
  priority: 801,
  access(context, config) {
    const { upstream } = context;
    if (upstream === undefined) {
      return undefined;
    }
    if (config.http_method !== null) {
      upstream.method = config.http_method.toUpperCase();
    }
    const uri = config.replace.uri;
    if (uri !== null && uri !== undefined) {
      const path = fillTemplate(uri, context);
      upstream.path = encodeURI(path).replaceAll('%25', '%');
    }
    changeHeaders(context, config);
    changeQuery(context, config);
    const hasBodyChanges = (['remove', 'rename', 'replace', 'add', 'append'] as const).some(
      (verb) => config[verb].body.length > 0,
    );
    return hasBodyChanges && context.hasBody ? changeBody(context, config) : undefined;
  },
});

function changeHeaders(context: RequestContext, config: Config): void {
  const headers = context.upstream?.headers;
  if (headers === undefined) {
    return;
  }
  const pairs = (list: readonly string[]) =>
    list.map(splitPair).map(([name, value]) => [name, fillTemplate(value, context)] as const);
  for (const name of config.remove.headers) {
    headers.remove(name);
  }
  for (const [from, to] of pairs(config.rename.headers)) {
    const value = headers.get(from);
    if (value !== undefined) {
      headers.remove(from);
      headers.set(to, value);
    }
  }
  for (const [name, value] of pairs(config.replace.headers)) {
    if (headers.has(name) || name.toLowerCase() === 'host') {
      headers.set(name, value);
    }
  }
  for (const [name, value] of pairs(config.add.headers)) {
    if (!headers.has(name) && name.toLowerCase() !== 'host') {
      headers.set(name, value);
    }
  }
  for (const [name, value] of pairs(config.append.headers)) {
    if (name.toLowerCase() !== 'host') {
      headers.add(name, value);
    }
  }
}

function changeQuery(context: RequestContext, config: Config): void {
  const { upstream } = context;
  const verbs = ['remove', 'rename', 'replace', 'add', 'append'] as const;
  if (upstream === undefined || !verbs.some((verb) => config[verb].querystring.length > 0)) {
    return;
  }
  const query = new QueryArguments(upstream.query ?? '');
  const pairs = (list: readonly string[]) =>
    list.map(splitPair).map(([name, value]) => [name, fillTemplate(value, context)] as const);
  for (const name of config.remove.querystring) {
    query.remove(name);
  }
  for (const [from, to] of pairs(config.rename.querystring)) {
    query.rename(from, to);
  }
  for (const [name, value] of pairs(config.replace.querystring)) {
    if (query.has(name)) {
      query.set(name, value);
    }
  }
  for (const [name, value] of pairs(config.add.querystring)) {
    if (!query.has(name)) {
      query.add(name, value);
    }
  }
  for (const [name, value] of pairs(config.append.querystring)) {
    query.add(name, value);
  }
  const text = query.toString();
  upstream.query = text === '' ? undefined : text;
}

async function changeBody(context: RequestContext, config: Config): Promise<void> {
  const type = context.headers.get('content-type') ?? '';
  const isJson = type.startsWith('application/json');
  const isForm = type.startsWith('application/x-www-form-urlencoded');
  const body = isJson || isForm ? await readBody(context, maximumBodyBytes) : undefined;
  const { upstream } = context;
  if (body === undefined || upstream === undefined) {
    return;
  }
  const pairs = (list: readonly string[]) =>
    list.map(splitPair).map(([name, value]) => [name, fillTemplate(value, context)] as const);
  const changes: FieldChanges = {
    remove: config.remove.body,
    rename: pairs(config.rename.body),
    replace: pairs(config.replace.body),
    add: pairs(config.add.body),
    append: pairs(config.append.body),
  };
  const changed = isJson ? changeJson(body, changes) : changeForm(body, changes);
  if (changed !== undefined) {
    upstream.body = changed;
    upstream.headers.set('Content-Length', String(changed.length));
  }
}

function changeJson(body: Buffer, changes: FieldChanges): Buffer | undefined {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Buffer.from(JSON.stringify(changeFields(value as Record<string, unknown>, changes)))
      : undefined;
  } catch {
    return undefined;
  }
}

function changeForm(body: Buffer, changes: FieldChanges): Buffer {
  const fields = Object.fromEntries(new URLSearchParams(body.toString('utf8')));
  const changed = changeFields(fields, changes);
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(changed)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      form.append(name, String(item));
    }
  }
  return Buffer.from(form.toString());
}
