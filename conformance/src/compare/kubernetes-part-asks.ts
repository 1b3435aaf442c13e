import type { JsonObject, JsonValue } from '@waygate/text';
import { type Ask, apply, dry, jsonPatch, merge, strategic, table } from './kubernetes-ask.ts';

/** What is asked of the status and the scale of an object, which not all have. */
export function subresources(one: string, object: JsonObject): Ask[] {
  const { apiVersion, kind } = object as { apiVersion: string; kind: string };
  const { name } = object.metadata as { name: string };
  const status = { conditions: [{ type: 'Ready', status: 'True' }], replicas: 2 };
  const head = { apiVersion, kind, metadata: { name } };
  const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name } };
  const at = (sub: string, more = '') => `${one}/${sub}?${dry}${more}`;
  return [
    ['get status', 'GET', `${one}/status`],
    ['table of status', 'GET', `${one}/status`, null, { Accept: table }],
    ['update status', 'PUT', at('status'), { ...object, status }],
    ['update status Strict', 'PUT', at('status', '&fieldValidation=Strict'), { ...object, status }],
    ['update status without one', 'PUT', at('status'), object],
    ['merge status', 'PATCH', at('status'), { status }, merge],
    [
      'merge status and labels',
      'PATCH',
      at('status'),
      { metadata: { labels: { b: 'c' } }, status: {} },
      merge,
    ],
    ['merge status wrong', 'PATCH', at('status'), { status: 'word' }, merge],
    ['strategic status', 'PATCH', at('status'), { status }, strategic],
    [
      'json status',
      'PATCH',
      at('status'),
      [{ op: 'add', path: '/status', value: {} }] as unknown as JsonValue,
      jsonPatch,
    ],
    ['apply status', 'PATCH', at('status', '&fieldManager=s'), { ...head, status }, apply],
    [
      'apply empty status',
      'PATCH',
      at('status', '&fieldManager=s'),
      { ...head, status: {} },
      apply,
    ],
    ['delete status', 'DELETE', at('status')],
    ['get scale', 'GET', `${one}/scale`],
    ['table of scale', 'GET', `${one}/scale`, null, { Accept: table }],
    ['update scale', 'PUT', at('scale'), { ...scale, spec: { replicas: 3 } }],
    ['update scale negative', 'PUT', at('scale'), { ...scale, spec: { replicas: -3 } }],
    [
      'update scale of another',
      'PUT',
      at('scale'),
      { ...scale, metadata: { name: 'b' }, spec: { replicas: 3 } },
    ],
    [
      'update scale of old',
      'PUT',
      at('scale'),
      { ...scale, metadata: { name, resourceVersion: '1' }, spec: {} },
    ],
    ['update scale without kind', 'PUT', at('scale'), { spec: { replicas: 1 } }],
    ['merge scale', 'PATCH', at('scale'), { spec: { replicas: 4 } }, merge],
    ['strategic scale', 'PATCH', at('scale'), { spec: { replicas: 4 } }, strategic],
    ['merge scale wrong', 'PATCH', at('scale'), { spec: { replicas: 'x' } }, merge],
    [
      'apply scale',
      'PATCH',
      at('scale', '&fieldManager=s'),
      { ...scale, spec: { replicas: 4 } },
      apply,
    ],
  ];
}

/** Deletions with all their options. None deletes. */
export function deletions(one: string, collection: string): Ask[] {
  // With a body, and of a collection, a real server looks for a dry run nowhere else.
  const options = (more: JsonObject = {}) => ({
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    dryRun: ['All'],
    ...more,
  });
  const of = (words: string, more: JsonObject): Ask => [
    `delete ${words}`,
    'DELETE',
    `${one}?${dry}`,
    options(more),
  ];
  return [
    ['delete plain', 'DELETE', `${one}?${dry}`],
    ['delete absent', 'DELETE', `${collection}/absent?${dry}`],
    ['delete dry word', 'DELETE', `${one}?dryRun=word`],
    ['delete at once', 'DELETE', `${one}?${dry}&gracePeriodSeconds=0`],
    ['delete late', 'DELETE', `${one}?${dry}&gracePeriodSeconds=-5`],
    ['delete some time', 'DELETE', `${one}?${dry}&gracePeriodSeconds=word`],
    ['delete foreground', 'DELETE', `${one}?${dry}&propagationPolicy=Foreground`],
    ['delete orphan', 'DELETE', `${one}?${dry}&propagationPolicy=Orphan`],
    ['delete wrong policy', 'DELETE', `${one}?${dry}&propagationPolicy=Wrong`],
    ['delete both', 'DELETE', `${one}?${dry}&propagationPolicy=Orphan&orphanDependents=true`],
    of('of another uid', { preconditions: { uid: 'other' } }),
    of('of old', { preconditions: { resourceVersion: '1' } }),
    of('with unknown', { unknownField: 1 }),
    of('of another kind', { kind: 'Pod' }),
    of('dry in body', {}),
    of('wrong dry in body', { dryRun: ['word'] }),
    of('unsafe', { ignoreStoreReadErrorWithClusterBreakingPotential: true }),
    ['delete with a list', 'DELETE', `${one}?${dry}`, []],
    ['delete all of none', 'DELETE', `${collection}?labelSelector=app%3Dnone`, options()],
    ['delete all of a', 'DELETE', `${collection}?labelSelector=app%3Da`, options()],
    ['delete all wrong', 'DELETE', `${collection}?labelSelector=-bad`, options()],
    ['delete all by field', 'DELETE', `${collection}?fieldSelector=spec.nothing%3Da`, options()],
    [
      'delete all with a version',
      'DELETE',
      `${collection}?resourceVersion=word&labelSelector=app%3Dnone`,
      options(),
    ],
  ];
}
