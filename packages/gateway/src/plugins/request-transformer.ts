import { isObject } from '@waygate/text';
import { MultipartForm } from '../http/multipart.ts';
import { QueryArguments } from '../http/query-arguments.ts';
import { LuaBudget } from '../lua/lua-value.ts';
import { definePlugin } from '../plugin/plugin.ts';
import type { RequestContext, UpstreamDraft } from '../plugin/request-context.ts';
import { readBody } from '../proxy/request-body.ts';
import { escapePath } from '../router/request-path.ts';
import { requestWorld } from '../template/request-world.ts';
import type { Template } from '../template/template.ts';
import { changeFields, type FieldChanges } from './body-fields.ts';
import {
  type Pair,
  type PartChanges,
  type RequestTransformerConfig,
  requestChanges,
} from './request-changes.ts';

const maximumBodyBytes = 8 * 1_024 * 1_024;

/** Changes requests on their way to the upstream. */
export const requestTransformer = definePlugin<RequestTransformerConfig>({
  name: 'request-transformer',
  priority: 801,
  access(context, config) {
    const { upstream } = context;
    if (upstream === undefined) return undefined;
    const changes = requestChanges(config);
    const fill = filler(context);
    if (config.http_method !== null) upstream.method = config.http_method.toUpperCase();
    if (changes.uri !== undefined) {
      const path = fill(changes.uri);
      if (!path.startsWith('/')) {
        context.runtime.log.warn('a template made a path that does not start with a slash', {
          plugin: 'request-transformer',
          field: 'replace.uri',
        });
        context.fail(500, 'An unexpected error occurred');
        return undefined;
      }
      upstream.path = escapePath(path, false);
    }
    if (changes.headers !== undefined) changeHeaders(upstream, changes.headers, fill);
    if (changes.querystring !== undefined) changeQuery(upstream, changes.querystring, fill);
    return changes.body !== undefined && context.hasBody
      ? changeBody(context, changes.body, fill)
      : undefined;
  },
});

/** Fills a template in, as bytes. */
type Fill = (template: Template) => string;

/** All templates of one request share what they may cost. */
function filler(context: RequestContext): Fill {
  const world = requestWorld(context);
  const budget = new LuaBudget();
  return (template) => template.render(world, budget);
}

/** Where characters are wanted, and not bytes. */
function textPairs(pairs: readonly Pair[], fill: Fill): (readonly [string, string])[] {
  return pairs.map(([name, value]) => [name, Buffer.from(fill(value), 'latin1').toString('utf8')]);
}

function changeHeaders({ headers }: UpstreamDraft, changes: PartChanges, fill: Fill): void {
  for (const name of changes.remove) headers.remove(name);
  for (const [from, to] of changes.rename) {
    const value = headers.get(from);
    const name = fill(to);
    if (value !== undefined) {
      headers.remove(from);
      headers.set(name, value);
    }
  }
  for (const [name, template] of changes.replace) {
    const value = fill(template);
    if (headers.has(name) || name.toLowerCase() === 'host') headers.set(name, value);
  }
  for (const [name, template] of changes.add) {
    const value = fill(template);
    if (!headers.has(name) && name.toLowerCase() !== 'host') headers.set(name, value);
  }
  for (const [name, template] of changes.append) {
    const value = fill(template);
    if (name.toLowerCase() !== 'host') headers.add(name, value);
  }
}

function changeQuery(upstream: UpstreamDraft, changes: PartChanges, fill: Fill): void {
  const query = new QueryArguments(upstream.query ?? '');
  for (const name of changes.remove) query.remove(name);
  for (const [from, to] of textPairs(changes.rename, fill)) query.rename(from, to);
  for (const [name, value] of textPairs(changes.replace, fill)) {
    if (query.has(name)) query.set(name, value);
  }
  for (const [name, value] of textPairs(changes.add, fill)) {
    if (!query.has(name)) query.add(name, value);
  }
  for (const [name, value] of textPairs(changes.append, fill)) query.add(name, value);
  const text = query.toString();
  upstream.query = text === '' ? undefined : text;
}

async function changeBody(
  context: RequestContext,
  changes: PartChanges,
  fill: Fill,
): Promise<void> {
  const type = (context.headers.get('content-type') ?? '').toLowerCase();
  const isJson = type.includes('application/json');
  const isForm = type.includes('application/x-www-form-urlencoded');
  const isParts = type.startsWith('multipart/form-data');
  const body = isJson || isForm || isParts ? await readBody(context, maximumBodyBytes) : undefined;
  const { upstream } = context;
  if (body === undefined || upstream === undefined) return;
  const filled: FieldChanges = {
    remove: changes.remove,
    rename: textPairs(changes.rename, fill),
    replace: textPairs(changes.replace, fill),
    add: textPairs(changes.add, fill),
    append: textPairs(changes.append, fill),
  };
  const changed = isJson
    ? changeJson(body, filled)
    : isForm
      ? changeForm(body, filled)
      : changeParts(context.headers.get('content-type') ?? '', body, filled);
  if (changed !== undefined) {
    upstream.body = changed;
    upstream.headers.set('Content-Length', String(changed.length));
  }
}

function changeJson(body: Buffer, changes: FieldChanges): Buffer | undefined {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return isObject(value)
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
    for (const item of Array.isArray(value) ? value : [value]) form.append(name, String(item));
  }
  return Buffer.from(form.toString());
}

/** Nothing is appended to a form in parts, as in Kong. */
function changeParts(
  contentType: string,
  body: Buffer,
  { remove, rename, replace, add }: FieldChanges,
): Buffer | undefined {
  const form = MultipartForm.parse(contentType, body);
  if (form === undefined) return undefined;
  for (const name of remove) form.remove(name);
  for (const [from, to] of rename) {
    const value = form.get(from);
    if (value !== undefined) {
      form.remove(from);
      form.set(to, value);
    }
  }
  for (const [name, value] of replace) {
    if (form.get(name) !== undefined) form.set(name, String(value));
  }
  for (const [name, value] of add) {
    if (form.get(name) === undefined) form.set(name, String(value));
  }
  return form.toBuffer();
}
